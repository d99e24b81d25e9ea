/** What is used of the package mediabunny: the build makes one file of it, which loads when a compressed sound is opened. */

export {
  ADTS,
  AudioSampleSink,
  CustomSource,
  FLAC,
  Input,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WEBM,
} from 'mediabunny';

/**
 * What is used of the package mediabunny: the build makes one file of it, which loads when a compressed sound is
 * opened.
 */

import { ADTS, FLAC, MATROSKA, MP3, MP4, OGG, QTFF, WEBM } from 'mediabunny';

export { AudioSampleSink, CustomSource, Input } from 'mediabunny';

export const formats = [MP3, MP4, QTFF, WEBM, MATROSKA, OGG, ADTS, FLAC];

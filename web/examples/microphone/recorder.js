// Runs in the browser's audio thread: passes on what the microphone hears, an eighth of a second at a time.

const blockLength = 2048;

class Recorder extends AudioWorkletProcessor {
  #block = new Float32Array(blockLength);
  #filled = 0;

  process([[channel]]) {
    // 128 samples a call, which divides the block; none while the microphone starts.
    if (!channel) return true;
    this.#block.set(channel, this.#filled);
    this.#filled += channel.length;
    if (this.#filled === blockLength) {
      this.port.postMessage(this.#block, [this.#block.buffer]);
      this.#block = new Float32Array(blockLength);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor('recorder', Recorder);

"use strict";
// The counts behind the live threshold: exact at every threshold of the grid.

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

class Counts {
  constructor(grid, nPositives, classSizes) {
    Object.assign(this, { grid, nPositives, classSizes });
    this.length = grid.thresholds.length;
    this.unpack(bytesOf(grid.steps));
    this.lows = grid.lows === null ? null : new Float32Array(bytesOf(grid.lows).buffer);
  }

  // For each class: its number of steps, then one number a step, four times the thresholds
  // on plus 0 (a call), 1 (a call that hits) or 2 (calls and hits gained follow).
  unpack(bytes) {
    let place = 0;
    const read = () => {
      let value = 0;
      let scale = 1;
      for (;;) {
        const byte = bytes[place++];
        value += (byte & 127) * scale;
        if (byte < 128) return value;
        scale *= 128;
      }
    };
    const n = this.classSizes.length;
    this.start = new Int32Array(n + 1);
    const at = [];
    const calls = [];
    const hits = [];
    for (let k = 0; k < n; k++) {
      let bin = 0;
      let c = 0;
      let h = 0;
      for (let left = read(); left > 0; left--) {
        const step = read();
        const kind = step % 4;
        at.push((bin += (step - kind) / 4));
        calls.push((c += kind === 2 ? read() : 1));
        hits.push((h += kind === 2 ? read() : kind));
      }
      this.start[k + 1] = at.length;
    }
    this.at = Int32Array.from(at);
    this.calls = Int32Array.from(calls);
    this.hits = Int32Array.from(hits);
  }

  // Last step of class k at or before threshold g; -1 if it has no call there.
  step(k, g) {
    let low = this.start[k];
    let high = this.start[k + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at[middle] <= g) low = middle + 1;
      else high = middle;
    }
    return low === this.start[k] ? -1 : low - 1;
  }

  ofClass(k, g) {
    const step = this.step(k, g);
    if (step < 0) return { calls: 0, hits: 0, low: null };
    return { calls: this.calls[step], hits: this.hits[step], low: this.lows ? this.lows[step] : null };
  }

  f(hits, calls, beta) {
    const below = calls + beta ** 2 * this.nPositives;
    return below > 0 ? ((1 + beta ** 2) * hits) / below : 0;
  }

  pooled(g, beta = 1) {
    const calls = this.grid.calls[g];
    const hits = this.grid.hits[g];
    return {
      threshold: this.grid.thresholds[g],
      calls,
      hits,
      precision: hits / calls,
      recall: hits / this.nPositives,
      f: this.f(hits, calls, beta),
    };
  }

  // Place on the grid for a target, and whether it is met.
  find(target, wanted) {
    const all = Array.from({ length: this.length }, (_, g) => this.pooled(g, target === "beta" ? wanted : 1));
    const best = (key) => all.reduce((top, now, g) => (now[key] > all[top][key] ? g : top), 0);
    if (target === "beta") return { place: best("f"), met: true };
    if (target === "n_calls") {
      const place = all.findLastIndex((now) => now.calls <= wanted);
      return place < 0 ? { place: 0, met: false } : { place, met: true };
    }
    const good = (now) => now[target] >= wanted - 1e-12;
    // As many calls as the precision allows; as few as the recall takes.
    const place = target === "precision" ? all.findLastIndex(good) : all.findIndex(good);
    return place < 0 ? { place: best(target), met: false } : { place, met: true };
  }
}

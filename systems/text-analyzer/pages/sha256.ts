// SHA-256 (FIPS 180-4) of bytes that come in pieces. The browser's own (crypto.subtle) takes all bytes at once, and is missing on pages that came by plain HTTP
// from another machine.
const blockBytes = 64;

/** Returns the first 32 bits behind the point of the square (2) or cube (3) roots of the first primes. */
function rootsOfPrimes(count: number, root: 2 | 3): Uint32Array {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; ++candidate) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate && isPrime; ++divisor) isPrime = candidate % divisor !== 0;
    if (isPrime) found.push(candidate);
  }
  return Uint32Array.from(found, (prime) => {
    const value = root === 2 ? Math.sqrt(prime) : Math.cbrt(prime);
    return Math.floor((value % 1) * 2 ** 32);
  });
}

const roundConstants = Int32Array.from(rootsOfPrimes(64, 3));
const firstState = rootsOfPrimes(8, 2);

export class Sha256 {
  readonly #state = Uint32Array.from(firstState);
  readonly #words = new Int32Array(blockBytes);
  readonly #rest = new Uint8Array(blockBytes); // bytes of a block that is not complete
  #restBytes = 0;
  #allBytes = 0;

  update(bytes: Uint8Array): this {
    this.#allBytes += bytes.length;
    let at = 0;
    if (this.#restBytes > 0) {
      at = Math.min(blockBytes - this.#restBytes, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restBytes);
      this.#restBytes += at;
      if (this.#restBytes < blockBytes) return this;
      this.#add(this.#rest, 0);
      this.#restBytes = 0;
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) this.#add(bytes, at);
    this.#rest.set(bytes.subarray(at));
    this.#restBytes = bytes.length - at;
    return this;
  }

  /** Returns the digest in hexadecimal digits; nothing may be added afterwards. */
  digest(): string {
    const lengthBytes = 8;
    const allBytes = this.#allBytes;
    const padding = new Uint8Array(((blockBytes * 2 - 1 - lengthBytes - this.#restBytes) % blockBytes) + 1 + lengthBytes);
    padding[0] = 0x80;
    new DataView(padding.buffer).setBigUint64(padding.length - lengthBytes, BigInt(allBytes) * 8n);
    this.update(padding);
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, "0")).join("");
  }

  #add(bytes: Uint8Array, from: number): void {
    const w = this.#words;
    for (let i = 0, at = from; i < 16; ++i, at += 4) w[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    for (let i = 16; i < 64; ++i) {
      const x = w[i - 15]!;
      const y = w[i - 2]!;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
    }
    const state = this.#state;
    let a = state[0]! | 0;
    let b = state[1]! | 0;
    let c = state[2]! | 0;
    let d = state[3]! | 0;
    let e = state[4]! | 0;
    let f = state[5]! | 0;
    let g = state[6]! | 0;
    let h = state[7]! | 0;
    for (let i = 0; i < 64; ++i) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roundConstants[i]! + w[i]!) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0]! += a;
    state[1]! += b;
    state[2]! += c;
    state[3]! += d;
    state[4]! += e;
    state[5]! += f;
    state[6]! += g;
    state[7]! += h;
  }
}

export const sha256 = (text: string): string => new Sha256().update(new TextEncoder().encode(text)).digest();

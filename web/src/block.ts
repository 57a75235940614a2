/* block.ts — the numbers of a page: deflated blocks in base64 (src/report/block.c), inflated before anything is laid out.
 *
 * "f8:BLOCK:OFFSET:COUNT:STRIDE" is an array of 64 bit floats ("f4": 32 bit) at a byte of an inflated block. Its bytes
 * are sorted by their place in the word, and its words, taken as integers, are differences from the word STRIDE
 * values before (0: from none). "f4:...:STRIDE:BASE": values are BASE plus what is stored. */
let blocks: Bytes[] = [];

type Bytes = Uint8Array<ArrayBuffer>;
type Decoder = typeof Uint8Array & { fromBase64?: (text: string) => Bytes };

function fromBase64(text: string): Bytes {
  const decoder = Uint8Array as Decoder;
  if (decoder.fromBase64) return decoder.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(text: string): Promise<Bytes> {
  const stream = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* All blocks of the page; fails when some are missing or cut short. */
export async function readBlocks(count: number): Promise<void> {
  const sources = [...document.querySelectorAll('script.capstan-block')];
  if (sources.length !== count) throw new Error(`${sources.length} of ${count} blocks of data`);
  blocks = await Promise.all(sources.map((s) => inflate(s.textContent ?? '')));
  for (const s of sources) s.remove();
}

function sumWords(words: Uint32Array, stride: number): void {
  for (let i = stride; i < words.length; i++) words[i]! += words[i - stride]!;
}

/* The same for words of 64 bits, which are pairs with the low half in front. */
function sumPairs(halves: Uint32Array, stride: number): void {
  const back = 2 * stride;
  for (let i = back; i < halves.length; i += 2) {
    const low = halves[i]! + halves[i - back]!;
    halves[i] = low;
    halves[i + 1]! += halves[i + 1 - back]! + (low > 0xffffffff ? 1 : 0);
  }
}

export function unpack(packed: string): Float64Array | Float32Array {
  const [kind, block, offset, count, stride, base] = packed.split(':');
  const size = kind === 'f4' ? 4 : 8;
  const n = Number(count ?? 0);
  if (!n) return size === 4 ? new Float32Array(0) : new Float64Array(0);
  const source = blocks[Number(block)]!;
  const begin = Number(offset);
  if (begin + n * size > source.length) throw new Error('a block of data is too short');
  const bytes = new Uint8Array(n * size);
  for (let k = 0; k < size; k++)
    for (let i = 0, from = begin + k * n, to = k; i < n; i++, from++, to += size) bytes[to] = source[from]!;
  if (Number(stride)) (size === 4 ? sumWords : sumPairs)(new Uint32Array(bytes.buffer), Number(stride));
  if (base) return Float64Array.from(new Float32Array(bytes.buffer), (v) => v + Number(base));
  return size === 4 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
}

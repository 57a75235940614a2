/* palette_png.mjs — a screenshot with 256 colours: PNG in, PNG out. Pages have few colours, so that nothing is seen of it,
 * and the file is a third of the size. */
import { deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const crcTable = Uint32Array.from({ length: 256 }, (_v, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = crcTable[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

function chunk(type, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

/* Colours of the pixels as 24 bit numbers. The browser writes 8 bits for each of three or four channels. */
function decode(png) {
  let width, height, channels;
  const parts = [];
  for (let at = 8; at < png.length;) {
    const size = png.readUInt32BE(at), type = png.toString('latin1', at + 4, at + 8), data = png.subarray(at + 8, at + 8 + size);
    if (type === 'IHDR') [width, height, channels] = [data.readUInt32BE(0), data.readUInt32BE(4), data[9] === 6 ? 4 : 3];
    if (type === 'IDAT') parts.push(data);
    at += 12 + size;
  }
  const raw = inflateSync(Buffer.concat(parts)), row = width * channels;
  const lines = Buffer.alloc(row * height), pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0, filter = raw[y * (row + 1)]; x < row; x++) {
      const left = x >= channels ? lines[y * row + x - channels] : 0, up = y ? lines[(y - 1) * row + x] : 0;
      const corner = y && x >= channels ? lines[(y - 1) * row + x - channels] : 0, guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      lines[y * row + x] = raw[y * (row + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  for (let i = 0; i < pixels.length; i++) pixels[i] = (lines[i * channels] << 16) | (lines[i * channels + 1] << 8) | lines[i * channels + 2];
  return { width, height, pixels };
}

const part = (colour, k) => (colour >> (16 - 8 * k)) & 255;

/* Median cut: the box with the widest spread, weighted by its pixels, is halved until there are 256. */
function palette(counts) {
  const boxes = [[...counts]];
  const spread = (box) => {
    let best = [0, 0];
    for (let k = 0; k < 3; k++) {
      let low = 255, high = 0;
      for (const [colour] of box) [low, high] = [Math.min(low, part(colour, k)), Math.max(high, part(colour, k))];
      if (high - low > best[0]) best = [high - low, k];
    }
    return { width: best[0], axis: best[1], score: best[0] * Math.sqrt(box.reduce((n, [, c]) => n + c, 0)) };
  };
  const spreads = [spread(boxes[0])];
  while (boxes.length < 256) {
    let at = 0;
    for (let i = 1; i < boxes.length; i++) if (spreads[i].score > spreads[at].score) at = i;
    if (!spreads[at].width) break;
    const { axis } = spreads[at], box = boxes[at].sort((p, q) => part(p[0], axis) - part(q[0], axis));
    const half = box.reduce((n, [, c]) => n + c, 0) / 2;
    let cut = 1;
    for (let n = box[0][1]; cut < box.length - 1 && n + box[cut][1] <= half; cut++) n += box[cut][1];
    boxes.splice(at, 1, box.slice(0, cut), box.slice(cut));
    spreads.splice(at, 1, spread(boxes[at]), spread(boxes[at + 1]));
  }
  return boxes;
}

export function paletted(png) {
  const { width, height, pixels } = decode(png);
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const boxes = palette(counts), index = new Map(), colours = Buffer.alloc(3 * boxes.length);
  boxes.forEach((box, i) => {
    /* The commonest colour of a box stands for it: backgrounds stay exact. */
    const [chosen] = box.reduce((p, q) => (q[1] > p[1] ? q : p));
    for (let k = 0; k < 3; k++) colours[3 * i + k] = part(chosen, k);
    for (const [colour] of box) index.set(colour, i);
  });
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = index.get(pixels[y * width + x]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('PLTE', colours), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

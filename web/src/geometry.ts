/* geometry.ts — places in the plane. */

export type Point = [number, number];

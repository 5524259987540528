const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** A size in words: `812 bytes`, `4.1 MB`. A KB has 1,000 bytes. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 999.95 && unit < UNITS.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}

/** Formats a count with its noun, such as `1 event` or `1,203 events`. */
export function countWithNoun(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Formats a duration in seconds, such as `7 s`, `1 min 20 s` or `2 h 5 min`. */
export function durationText(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(rounded / 3_600), Math.floor(rounded / 60) % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rounded % 60} s` : `${rounded} s`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a size in bytes, such as `812 B`, `4.1 MiB` or `196 MiB`. */
export function sizeText(bytes: number): string {
  const step = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** step;
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${UNITS[step]!}`;
}

/** How many of something there are: `1 event`, `1,203 events`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Seconds as `7 s`, `1 min 20 s` or `2 h 5 min`. */
export function durationText(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(rounded / 3_600), Math.floor(rounded / 60) % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rounded % 60} s` : `${rounded} s`;
}

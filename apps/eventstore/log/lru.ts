/** A map that forgets what was not used for longest when it holds more than `capacity` entries. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    const { value: oldest, done } = this.#entries.keys().next();
    if (!done) this.#entries.delete(oldest);
  }

  clear(): void {
    this.#entries.clear();
  }
}

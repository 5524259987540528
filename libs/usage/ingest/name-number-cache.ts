import type { Pool } from 'pg';

/** The maximum number of cached names, which use some hundred megabytes. If more names are cached, the cache is cleared. */
const MAX_KNOWN = 1_000_000;

/** A name within a scope, as the input of {@link NameNumberCache}. */
export type ScopedName<Scope extends string | number> = readonly [scope: Scope, name: string];

/**
 * Maps repeated names to numbers, which the usage log stores instead of the names. The number of a name never changes, so a cached number
 * stays valid.
 */
export class NameNumberCache<Scope extends string | number> {
  private readonly known = new Map<Scope, Map<string, number>>();
  private size = 0;

  constructor(
    private readonly pool: Pool,
    private readonly table: { name: string; scope: string; scopeType: 'text' | 'int'; column: string },
  ) {}

  /** The number of a name; undefined if it is not cached. */
  get(scope: Scope, name: string): number | undefined {
    return this.known.get(scope)?.get(name);
  }

  /** Loads the numbers of names. Assigns numbers to those names that have none. */
  async load(names: readonly ScopedName<Scope>[]): Promise<void> {
    const unknown = new Map(
      names.filter(([s, n]) => this.get(s, n) === undefined).map((one) => [one.join('\n'), one]),
    );
    if (unknown.size === 0) return;
    await this.read([...unknown.values()]);
    const unnumbered = [...unknown.values()].filter(([scope, name]) => this.get(scope, name) === undefined);
    if (unnumbered.length === 0) return;
    const { name, scope, scopeType, column } = this.table;
    await this.pool.query(
      `INSERT INTO ${name} (${scope}, ${column}) SELECT * FROM unnest($1::${scopeType}[], $2::text[])
       ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
      columnsOf(unnumbered),
    );
    await this.read(unnumbered);
  }

  private async read(names: readonly ScopedName<Scope>[]): Promise<void> {
    const { name, scope, scopeType, column } = this.table;
    const { rows } = await this.pool.query<{ id: number; scope: Scope; name: string }>(
      `SELECT t.id, t.${scope} AS scope, t.${column} AS name FROM ${name} t
       JOIN unnest($1::${scopeType}[], $2::text[]) AS w (scope, name) ON t.${scope} = w.scope AND t.${column} = w.name`,
      columnsOf(names),
    );
    for (const row of rows) this.remember(row.scope, row.name, row.id);
  }

  private remember(scope: Scope, name: string, id: number): void {
    if (this.size >= MAX_KNOWN) {
      this.known.clear();
      this.size = 0;
    }
    const names = this.known.get(scope);
    if (names) names.set(name, id);
    else this.known.set(scope, new Map([[name, id]]));
    this.size++;
  }
}

function columnsOf<Scope extends string | number>(names: readonly ScopedName<Scope>[]): [Scope[], string[]] {
  return [names.map(([scope]) => scope), names.map(([, name]) => name)];
}

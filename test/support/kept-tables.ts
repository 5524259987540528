import type pg from 'pg';

/** Copies of tables. A test may change the tables, and then restore them. */
export class KeptTables {
  private constructor(
    private readonly pool: pg.Pool,
    private readonly tables: readonly string[],
  ) {}

  static async copy(pool: pg.Pool, tables: readonly string[]): Promise<KeptTables> {
    await pool.query('CREATE SCHEMA kept');
    for (const table of tables) await pool.query(`CREATE TABLE ${copyOf(table)} AS TABLE ${table}`);
    return new KeptTables(pool, tables);
  }

  async restore(): Promise<void> {
    for (const table of this.tables) {
      await this.pool.query(`DELETE FROM ${table}`);
      await this.pool.query(`INSERT INTO ${table} SELECT * FROM ${copyOf(table)}`);
    }
  }
}

function copyOf(table: string): string {
  return `kept.${table.replace('.', '_')}`;
}

import pg from 'pg';
import { columnTypeParsers } from '#libs/kernel/postgres';
import type { Statement } from './statements.ts';

/** How Postgres has gone about a statement, and about those within the functions and triggers that it calls. */
export interface Execution {
  readonly statement: Statement;
  readonly milliseconds: number;
  readonly scans: readonly Scan[];
  /** Why it could not be executed once more: then nothing is known of its scans. */
  readonly obstacle?: string;
}

/** One part of a plan that reads a table or an index. */
export interface Scan {
  readonly table: string;
  /** As Postgres calls it: `Seq Scan`, `Index Scan`. */
  readonly kind: string;
  readonly index: string | undefined;
  /** Rows that it has looked at, those too that did not fit. */
  readonly rows: number;
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Schema?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** From then on Postgres may keep to one plan for all values of a prepared statement. */
const UNTIL_GENERIC = 6;

/** Executes statements once more, each in a transaction that is rolled back, and hears from Postgres how. */
export class PlanReader {
  private readonly client: pg.Client;
  private readonly heard: { milliseconds: number; plan: PlanNode }[] = [];

  /** How often a statement is executed that is not prepared. */
  private readonly times: number;

  /** @param url of a superuser */
  constructor(url: string, times: number) {
    this.times = times;
    this.client = new pg.Client({
      connectionString: url,
      types: columnTypeParsers,
      options: '-c TimeZone=UTC',
    });
    this.client.on('notice', ({ message }) => {
      const found = /^duration: ([\d.]+) ms {2}plan:\n(.*)$/s.exec(message ?? '');
      if (found) this.heard.push({ milliseconds: Number(found[1]), plan: planOf(found[2]!) });
    });
  }

  /**
   * Pages cost alike wherever they are: all are in memory. A table of some thousand rows would be read whole otherwise, and a larger one
   * not.
   */
  async open(): Promise<void> {
    await this.client.connect();
    await this.client.query(`
      SET random_page_cost = 1.1;
      LOAD 'auto_explain';
      SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off;
      SET auto_explain.log_nested_statements = on; SET auto_explain.log_format = json; SET auto_explain.log_verbose = on;
      SET auto_explain.log_parameter_max_length = 0; SET client_min_messages = log; SET lock_timeout = '2s'`);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** A statement that is prepared is executed until it may have the plan that is for all values. */
  async execute(statement: Statement): Promise<Execution> {
    const { text, values, isPrepared } = statement;
    const query = { text, values: [...values], ...(isPrepared ? { name: nameOf(text) } : {}) };
    let fastest: Execution | undefined;
    for (let time = 0; time < (isPrepared ? UNTIL_GENERIC : this.times); time++) {
      this.heard.length = 0;
      await this.client.query('BEGIN');
      const obstacle = await this.client.query(query).then(
        () => undefined,
        (error: Error) => error.message,
      );
      await this.client.query('ROLLBACK');
      if (obstacle !== undefined) return { statement, milliseconds: 0, scans: [], obstacle };
      const scans = this.heard.flatMap(({ plan }) => scansOf(plan));
      const milliseconds = Math.max(0, ...this.heard.map((one) => one.milliseconds));
      // The last plan counts, and the shortest time: by then everything is in memory.
      fastest = { statement, scans, milliseconds: Math.min(milliseconds, fastest?.milliseconds ?? Infinity) };
    }
    return fastest!;
  }
}

const names = new Map<string, string>();
function nameOf(text: string): string {
  const name = names.get(text) ?? `costs ${names.size}`;
  names.set(text, name);
  return name;
}

function planOf(json: string): PlanNode {
  return (JSON.parse(json) as { Plan: PlanNode }).Plan;
}

function scansOf(node: PlanNode): Scan[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const table = node['Relation Name'];
  if (!node['Node Type'].endsWith('Scan') || (table === undefined && !node['Index Name'])) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const scan = {
    table: table === undefined ? '' : `${node.Schema}.${table}`,
    kind: node['Node Type'],
    index: node['Index Name'],
    rows: Math.round(((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 1)),
  };
  return [scan, ...below];
}

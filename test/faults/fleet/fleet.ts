import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  type DatabaseRole,
  findFreePort,
  LogFile,
  migrateAndGrantRights,
  postgresProgram,
  postgresSettings,
  postgresUrl,
  type Program,
} from '#apps/cli';
import { descendantsOf } from '../../support/processes.ts';
import { isEmbedded } from '../../support/store-process.ts';
import { Link } from './link.ts';
import { Member } from './member.ts';

/** The kinds of process that there are several of. */
export const KINDS = ['api', 'projector', 'saga'] as const;
export type Kind = (typeof KINDS)[number];

export interface FleetOptions {
  /** For logs, documents and the database. */
  dataFolder: string;
  /** Server settings as `name=value`, after those of `npm start`. */
  postgresSettings?: string[];
  /** How many of each kind run side by side. */
  copies: number;
  /** Settings of every app, on top of the fleet's own. */
  env?: Record<string, string>;
}

const PASSWORD = 'fleet';
const ROLES: Record<Kind | 'eventstore', DatabaseRole> = {
  api: 'app',
  saga: 'app',
  projector: 'projector',
  eventstore: 'eventStore',
};
const READY_POLL_MILLIS = 100;
/** A process that is not ready again by then never will be. */
const READY_MILLIS = 120_000;

/**
 * The product as separate processes on one Postgres and one event store node, with a {@link Link} between each two that
 * talk. Unlike `npm start` it has several of each kind, and every process is started again within moments.
 */
export class Fleet {
  readonly members = new Map<string, Member>();
  readonly links = new Map<string, Link>();
  private readonly options: FleetOptions;
  private readonly logs: LogFile[] = [];
  private readonly ports = { postgres: 0, eventstore: 0 };

  private constructor(options: FleetOptions) {
    this.options = options;
  }

  /** Starts everything, and resolves when every API says that it is ready. */
  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options);
    try {
      await fleet.startAll();
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  /** Postgres itself, past every link: for checks from the outside. */
  get databaseUrl(): string {
    return this.databaseUrlAs();
  }

  /** The event store node itself, around every link. */
  get eventStoreUrl(): string {
    return `esdb://127.0.0.1:${this.ports.eventstore}?tls=false`;
  }

  get names(): string[] {
    return [...this.members.keys()];
  }

  /** The addresses of the APIs, each behind its link to the client. */
  get apiUrls(): string[] {
    return this.linksTo('api').map(({ port }) => `http://127.0.0.1:${port}`);
  }

  member(name: string): Member {
    const member = this.members.get(name);
    if (!member) throw new Error(`There is no ${name}; there are ${this.names.join(', ')}`);
    return member;
  }

  link(name: string): Link {
    const link = this.links.get(name);
    if (!link) throw new Error(`There is no link ${name}; there are ${[...this.links.keys()].join(', ')}`);
    return link;
  }

  membersOf(kind: Kind): Member[] {
    return [...this.members.values()].filter(({ name }) => name.startsWith(`${kind}-`));
  }

  /** Opens a link of the test's own, such as the one to a receiver of webhooks. */
  async connect(from: string, to: string, ...ports: number[]): Promise<Link> {
    const link = await Link.between(`${from} → ${to}`, ...ports);
    this.links.set(link.name, link);
    return link;
  }

  /**
   * The projector or saga that is at work while the others wait: the one whose connection holds the lock, as soon as one
   * does. Throws if that takes minutes.
   */
  async atWork(kind: 'projector' | 'saga'): Promise<Member> {
    const client = new pg.Client(this.databaseUrl);
    await client.connect();
    try {
      for (const deadline = performance.now() + READY_MILLIS; performance.now() < deadline;) {
        const { rows } = await client.query<{ port: number }>(
          `SELECT client_port AS port FROM pg_locks JOIN pg_stat_activity USING (pid)
           WHERE locktype = 'advisory' AND granted AND ${LOCKS[kind]}`,
        );
        const found = this.membersOf(kind).find(({ name }) =>
          this.link(`${name} → postgres`).farPorts.includes(rows[0]?.port ?? -1),
        );
        if (found) return found;
        await pause(READY_POLL_MILLIS);
      }
      throw new Error(`No ${kind} came to work within two minutes`);
    } finally {
      await client.end();
    }
  }

  /** Resolves when every process runs and every API says that it is ready. Throws if that takes minutes. */
  async ready(): Promise<void> {
    const waiting = new AbortController();
    const allReady = async (): Promise<void> => {
      await Promise.all([...this.members.values()].map((member) => member.ready()));
      await Promise.all(this.apiUrls.map((url) => untilReady(url, waiting.signal)));
    };
    const tooLate = pause(READY_MILLIS, 'late', { signal: waiting.signal }).catch(() => undefined);
    try {
      if ((await Promise.race([allReady(), tooLate])) !== 'late') return;
      const missing = [...this.members.values()].filter(({ isReady }) => !isReady).map(({ name }) => name);
      throw new Error(`Not all is ready after two minutes; not running: ${missing.join(', ') || 'none'}`);
    } finally {
      waiting.abort();
    }
  }

  /** Stops everything, in the opposite order of its start. */
  async stop(): Promise<void> {
    for (const link of this.links.values()) link.heal();
    await Promise.all(KINDS.flatMap((kind) => this.membersOf(kind)).map((member) => member.stop()));
    for (const name of ['eventstore', 'postgres']) await this.members.get(name)?.stop();
    await Promise.all([...this.links.values()].map((link) => link.close()));
    await Promise.all(this.logs.map((log) => log.close()));
  }

  private async startAll(): Promise<void> {
    const { dataFolder } = this.options;
    await mkdir(join(dataFolder, 'logs'), { recursive: true });
    this.ports.postgres = await findFreePort();
    this.ports.eventstore = await findFreePort();
    const postgresFolder = join(dataFolder, 'postgres');
    const server = postgresProgram({
      folder: postgresFolder,
      port: this.ports.postgres,
      password: PASSWORD,
      settings: [...postgresSettings, ...(this.options.postgresSettings ?? [])],
    });
    await this.add(server, () => serverProcesses(postgresFolder)).start();
    await migrateAndGrantRights(this.databaseUrl);
    await this.add(isEmbedded ? await this.app('eventstore', 'eventstore') : this.foreignStore()).start();
    const apps: Member[] = [];
    for (const kind of KINDS)
      for (let number = 1; number <= this.options.copies; number++)
        apps.push(this.add(await this.app(kind, `${kind}-${number}`)));
    await Promise.all(apps.map((app) => app.start()));
    await this.ready();
  }

  /** The event store that tests are given in place of the node; it has no link to Postgres. */
  private foreignStore(): Program {
    const folder = join(this.options.dataFolder, 'eventstore');
    return {
      name: 'eventstore',
      file: join(import.meta.dirname, 'event-store.ts'),
      args: [String(this.ports.eventstore), folder],
    };
  }

  private async app(kind: Kind | 'eventstore', name: string): Promise<Program> {
    const database = new URL(this.databaseUrlAs(ROLES[kind]));
    database.port = String((await this.connect(name, 'postgres', this.ports.postgres)).port);
    const env: Record<string, string> = {
      DATA_DIR: this.options.dataFolder,
      DATABASE_URL: database.href,
      JWT_SECRET: 'a secret of the fault tests, which is long enough',
      PUBLIC_URL: 'http://127.0.0.1:3000',
      DATABASE_POOL_SIZE: '8',
      ACCESS_TOKEN_SECONDS: '86400',
      // What a client reads after a write it may act on, also while a projector starts again.
      READ_YOUR_WRITES_MS: '20000',
      RATE_LIMIT_PER_SECOND: '100000',
      AUTH_RATE_LIMIT_PER_MINUTE: '100000',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      DRAIN_MS: '0',
    };
    if (kind === 'eventstore') env['EVENTSTORE_PORT'] = String(this.ports.eventstore);
    else {
      const store = await this.connect(name, 'eventstore', this.ports.eventstore);
      env['EVENTSTORE_URL'] = `esdb://127.0.0.1:${store.port}?tls=false`;
    }
    if (kind === 'api') {
      const port = await findFreePort();
      env['PORT'] = String(port);
      await this.connect('client', name, port);
    }
    const file = join(process.cwd(), `dist/programs/${kind}.js`);
    return { name, file, env: { ...env, ...this.options.env } };
  }

  private databaseUrlAs(role?: DatabaseRole): string {
    return postgresUrl({ port: this.ports.postgres, password: PASSWORD }, role);
  }

  private add(program: Program, victims?: () => Promise<number[]>): Member {
    const log = new LogFile(join(this.options.dataFolder, 'logs', `${program.name}.log`));
    this.logs.push(log);
    const member = new Member(program, (line) => log.write(line), victims);
    this.members.set(member.name, member);
    return member;
  }

  /** The links that lead from the client to this kind of process. */
  private linksTo(kind: Kind): Link[] {
    return [...this.links.values()].filter(({ name }) => name.startsWith(`client → ${kind}-`));
  }
}

/** How the locks of those at work stand in pg_locks: a key of 64 bits in two halves, or two keys. */
const LOCKS = {
  projector: `objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = hashtextextended('projector', 0)`,
  saga: 'objsubid = 2 AND classid = 7301 AND objid = 0',
};

/** The server with all of its backends: the process that keeps it survives, and starts it again. */
async function serverProcesses(folder: string): Promise<number[]> {
  const pid = Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10);
  return [pid, ...(await descendantsOf(pid)).map((entry) => entry.pid)];
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(`${url}/v1/health/ready`).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.ok) return;
    // Nothing tells of it.
    await pause(READY_POLL_MILLIS);
  }
}

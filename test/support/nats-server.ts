import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '#apps/cli';
import { programFile } from './installed.js';
import { Transcript } from './transcript.js';

/** A NATS server of a test's own with JetStream, which keeps its store when it is stopped and started again. */
export class NatsServer {
  private child: ChildProcess | undefined;

  private constructor(
    /** Where it keeps its store. */
    readonly folder: string,
    private readonly port: number,
    /** The largest message that it takes, in bytes. */
    private readonly maxPayload: number,
  ) {}

  static async start(): Promise<NatsServer> {
    const server = await NatsServer.prepare();
    await server.up();
    return server;
  }

  /** One that does not run yet. */
  static async prepare(maxPayload = 1_048_576): Promise<NatsServer> {
    const folder = await mkdtemp(join(tmpdir(), 'countinghouse-nats-'));
    return new NatsServer(folder, await findFreePort(), maxPayload);
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Starts it on its store; resolves when it takes connections. */
  async up(): Promise<void> {
    const config = join(this.folder, 'nats.conf');
    await writeFile(config, `max_payload: ${this.maxPayload}`);
    const args = ['-c', config, '-js', '-sd', this.folder, '-a', '127.0.0.1', '-p', String(this.port)];
    const child = spawn(programFile('nats-server')!, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.child = child;
    const log = new Transcript();
    child.stderr.on('data', (chunk: Buffer) => log.add(chunk.toString()));
    await log.until('Server is ready');
  }

  /** Ends it as a crash would. */
  async down(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Ends it and removes its store. */
  async remove(): Promise<void> {
    await this.down();
    await rm(this.folder, { recursive: true, force: true });
  }
}

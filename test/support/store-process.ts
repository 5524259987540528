import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { BACKWARDS, END, EventStoreDBClient } from '@eventstore/db-client';

/**
 * A command line that starts an EventStoreDB, in which `{port}` and `{folder}` stand for the port on 127.0.0.1 and the
 * data folder that it is given. Tests then use such servers in place of the embedded node, each with an empty folder.
 */
const COMMAND = process.env['TEST_EVENTSTORE_COMMAND'] || undefined;

/** Whether tests use the embedded node. */
export const isEmbedded = COMMAND === undefined;

const READY_MILLIS = 180_000;
const READY_POLL_MILLIS = 100;

/** A process that TEST_EVENTSTORE_COMMAND starts. It ends when this one exits. */
export class StoreProcess {
  readonly url: string;
  private readonly line: string;
  private child: ChildProcess | undefined;
  private readonly kill = (): void => void this.child?.kill('SIGKILL');

  /** @param folder for its data, without blanks in its name */
  constructor(folder: string, port: number) {
    if (COMMAND === undefined) throw new Error('TEST_EVENTSTORE_COMMAND is not set');
    this.url = `esdb://127.0.0.1:${port}?tls=false`;
    this.line = COMMAND.replaceAll('{port}', String(port)).replaceAll('{folder}', folder);
  }

  /** Starts it on what is in its folder; resolves when it can be read. */
  async start(): Promise<void> {
    // The shell gives way to the server, so that signals reach it.
    const child = spawn('sh', ['-c', `exec ${this.line}`], { stdio: 'ignore' });
    this.child = child;
    process.once('exit', this.kill);
    const deadline = performance.now() + READY_MILLIS;
    while (!(await answers(this.url))) {
      if (child.exitCode !== null) throw new Error(`TEST_EVENTSTORE_COMMAND ended with ${child.exitCode}`);
      if (performance.now() > deadline)
        throw new Error('The event store did not answer within three minutes');
      await pause(READY_POLL_MILLIS);
    }
  }

  /** Resolves to its exit code when it has ended; `null` when a signal ended it. */
  async ended(): Promise<number | null> {
    const { child } = this;
    if (child && child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once('exit', resolve));
    return child?.exitCode ?? null;
  }

  /** Ends it, unless it has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.child?.kill(signal);
    await this.ended();
    process.off('exit', this.kill);
  }
}

/** Whether the store can be read. A client that finds no store takes a while to look again, so each try has its own. */
async function answers(url: string): Promise<boolean> {
  const client = EventStoreDBClient.connectionString(url);
  try {
    const read = client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    for await (const { event } of read) if (event === undefined) return false;
    return true;
  } catch {
    return false;
  } finally {
    await client.dispose();
  }
}

/**
 * The process of the embedded event store node. It is plain Node and not a Nest application: it has three
 * gRPC services and one database, nothing to inject, and should start at once.
 */
import { createLogger, loadSettings, requireSetting } from '#libs/core';
import { startEventStoreNode } from './index.js';

/** EventStoreDB's own port. */
const DEFAULT_PORT = 2113;

try {
  await run();
} catch (error) {
  exitWith(error);
}

async function run(): Promise<void> {
  const settings = loadSettings(process.env);
  const node = await startEventStoreNode({
    databaseUrl: requireSetting(settings, 'databaseUrl'),
    port: settings.eventStorePort ?? DEFAULT_PORT,
    logger: createLogger('eventstore', settings.logLevel),
    onFenceLost: exitWith,
  });
  console.log(JSON.stringify({ event: 'listening', service: 'eventstore', port: node.port }));

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      node.close().then(() => process.exit(0), exitWith);
    });
  }
}

/** One line that says why, for people and supervisors alike. */
function exitWith(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`eventstore: ${message.replaceAll(/\s*\n\s*/g, ' ')}`);
  process.exit(1);
}

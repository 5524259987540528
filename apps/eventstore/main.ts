/**
 * The process of the embedded event store node. The process is plain Node and not a Nest application, because it has only three gRPC
 * services and one database, and should start fast.
 */
import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { requireSetting } from '#libs/kernel/system';
import { runChecks, runProcess } from '#libs/kernel/runtime';
import { startEventStoreNode } from './index.js';

/** EventStoreDB's default port. */
const DEFAULT_PORT = 2113;

// Errors are logged once, by this program. grpc-js would write a second line of its own.
setLogVerbosity(logVerbosity.NONE);

await runProcess('eventstore', async (settings, logger) => {
  const { promise: failed, reject: onFenceLost } = Promise.withResolvers<never>();
  const node = await startEventStoreNode({
    databaseUrl: requireSetting(settings, 'databaseUrl'),
    port: settings.eventStorePort ?? DEFAULT_PORT,
    logger,
    onFenceLost,
  });
  return {
    port: node.port,
    ready: () => runChecks({ postgres: () => node.checkDatabase(), ...node.storageCheck() }),
    close: () => node.close(),
    failed,
  };
});

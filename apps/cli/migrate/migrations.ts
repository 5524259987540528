import { migrations as eventStore } from '#libs/kernel/event-store';
import { migrations as idempotency } from '#libs/kernel/idempotency';
import { migrations as projection } from '#libs/kernel/projection';
import { migrations as saga } from '#libs/kernel/saga';
import { migrations as workspaces } from '#libs/kernel/workspaces';
import { tables } from '#libs/manifest';

/** All migrations of the kernel and of the contexts. TypeORM runs them in the order of the timestamps at the end of their class names. */
export const allMigrations = [
  ...eventStore,
  ...projection,
  ...workspaces,
  ...saga,
  ...idempotency,
  ...tables().flatMap(({ migrations }) => migrations),
];

import { migrations as eventStore } from '#libs/kernel/event-store';
import { migrations as idempotency } from '#libs/kernel/idempotency';
import { migrations as identity } from '#libs/contexts/identity';
import { migrations as invoicing } from '#libs/contexts/invoicing';
import { migrations as payments } from '#libs/contexts/payments';
import { migrations as projection } from '#libs/kernel/projection';
import { migrations as saga } from '#libs/kernel/saga';
import { migrations as usage } from '#libs/usage';
import { migrations as webhooks } from '#libs/outputs/webhooks';
import { migrations as workspaces } from '#libs/kernel/workspaces';

/** Every migration there is. TypeORM runs them in the order of the timestamp that ends a class's name. */
export const allMigrations = [
  ...eventStore,
  ...identity,
  ...projection,
  ...workspaces,
  ...saga,
  ...idempotency,
  ...usage,
  ...payments,
  ...invoicing,
  ...webhooks,
];

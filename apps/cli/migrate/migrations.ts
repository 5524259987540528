import { migrations as eventStore } from '#libs/event-store';
import { migrations as idempotency } from '#libs/idempotency';
import { migrations as identity } from '#libs/identity';
import { migrations as invoicing } from '#libs/invoicing';
import { migrations as payments } from '#libs/payments';
import { migrations as projection } from '#libs/projection';
import { migrations as saga } from '#libs/saga';
import { migrations as usage } from '#libs/usage';
import { migrations as webhooks } from '#libs/webhooks';
import { migrations as workspaces } from '#libs/workspaces';

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

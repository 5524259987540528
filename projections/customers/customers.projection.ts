import { customerDecider } from '#libs/contexts/customers';
import { snapshotProjection } from '#libs/kernel/projection';
import { CustomerRow, emailKey } from './customer-row.js';

/** All customers with their present state, for `GET /v1/customers`. */
export const customersProjection = snapshotProjection({
  name: 'customers',
  version: 5,
  entity: CustomerRow,
  decider: customerDecider,
  columns: ({ deleted, email, externalId }) => ({
    deleted,
    email: email === null ? null : emailKey(email),
    externalId,
  }),
});

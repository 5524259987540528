import { customerDecider } from '#libs/contexts/customers';
import { snapshotProjection } from '#libs/kernel/projection';
import { CustomerRow, lowerCaseEmail } from './customer-row.js';

/** All customers with their present state, for `GET /v1/customers`. */
export const customersProjection = snapshotProjection({
  name: 'customers',
  version: 6,
  entity: CustomerRow,
  decider: customerDecider,
  columnsOf: ({ deleted, email, externalId }) => ({
    deleted,
    email: email === null ? null : lowerCaseEmail(email),
    externalId,
  }),
});

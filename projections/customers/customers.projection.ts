import { customerDecider } from '#libs/customers';
import { snapshotProjection } from '#libs/projection';
import { CustomerRow } from './customer-row.js';

/** Every customer with its present state: `GET /v1/customers`. */
export const customersProjection = snapshotProjection({
  name: 'customers',
  version: 4,
  entity: CustomerRow,
  decider: customerDecider,
  columns: ({ deleted }) => ({ deleted }),
});

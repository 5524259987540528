import { CustomerRecords } from '#libs/contexts/privacy';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelCustomerRecords } from './customer-records.js';
import { customersProjection } from './customers.projection.js';

export default defineReadModels({
  projections: [customersProjection],
  adapters: [{ provide: CustomerRecords, useClass: ReadModelCustomerRecords }],
});

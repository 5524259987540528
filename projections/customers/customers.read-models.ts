import { CustomerRecordFinder } from '#libs/contexts/privacy';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelCustomerRecordFinder } from './read-model-customer-record-finder.js';
import { customersProjection } from './customers.projection.js';

export default defineReadModels({
  projections: [customersProjection],
  adapters: [{ provide: CustomerRecordFinder, useClass: ReadModelCustomerRecordFinder }],
});

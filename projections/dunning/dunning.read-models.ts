import { DunningRecords } from '#libs/contexts/dunning';
import { defineReadModels } from '#libs/kernel/projection';
import { DunningRecordsOfCustomers } from './dunning-records-of-customers.js';
import { dunningProjection } from './dunning.projection.js';

export default defineReadModels({
  projections: [dunningProjection],
  adapters: [{ provide: DunningRecords, useClass: DunningRecordsOfCustomers }],
});

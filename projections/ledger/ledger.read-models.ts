import { defineReadModels } from '#libs/kernel/projection';
import { ledgerProjection } from './ledger.projection.js';

export default defineReadModels({
  projections: [ledgerProjection],
  adapters: [],
});

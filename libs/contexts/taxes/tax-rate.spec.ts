import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { TaxRateDetails, TaxRateEvent } from './events.js';
import { taxRateDecider } from './tax-rate.js';

const taxRateId = 'tax_1';
const at = '2026-01-01T00:00:00.000Z';
const details: TaxRateDetails = { name: 'VAT', percentage: '19', inclusive: false, description: null };
const created: TaxRateEvent = { type: 'TaxRateCreated', data: { taxRateId, at: at, ...details } };
const archived: TaxRateEvent = { type: 'TaxRateArchived', data: { taxRateId } };
const { given } = decide(taxRateDecider);

describe('a tax rate', () => {
  it('is created and archived once', () => {
    given().when({ type: 'CreateTaxRate', at, taxRateId, details }).then(created);
    given(created).when({ type: 'CreateTaxRate', at, taxRateId, details }).then();
    given(created).when({ type: 'ArchiveTaxRate', taxRateId }).then(archived);
    given(created, archived).when({ type: 'ArchiveTaxRate', taxRateId }).then();
    given().when({ type: 'ArchiveTaxRate', taxRateId }).refused('tax_rate_not_found');
  });
});

import { describe, expect, it } from '@jest/globals';
import { runGoLiveChecks, type GoLiveFacts } from './checks.js';

const address = {
  line1: 'Main Street 1',
  line2: null,
  city: 'Berlin',
  region: null,
  postalCode: '10115',
  country: 'DE',
};
const ready: GoLiveFacts = {
  isAddressProved: true,
  seller: {
    legalName: 'Contoso GmbH',
    address,
    taxId: 'DE123456789',
    registrationNumber: null,
    email: null,
    phone: null,
    bankAccount: null,
  },
  hasDefaultTaxRates: false,
  planCount: 1,
  gatewayKey: 'live',
  withoutGateway: false,
  sendsMail: true,
  publicUrl: 'https://billing.example.com',
};
const statuses = (change: Partial<GoLiveFacts>) =>
  Object.fromEntries(
    runGoLiveChecks({ ...ready, ...change })
      .filter(({ status }) => status !== 'ok')
      .map(({ check, status }) => [check, status]),
  );

describe('the checks of going live', () => {
  it('pass with everything in place, and have no remedy then', () => {
    expect(runGoLiveChecks(ready).every(({ status, remedy }) => status === 'ok' && remedy === null)).toBe(
      true,
    );
  });

  it('fail for what an invoice or a charge needs', () => {
    expect(statuses({ isAddressProved: false })).toEqual({ email_address: 'failed' });
    expect(statuses({ seller: null })).toEqual({ seller: 'failed', taxes: 'warning' });
    expect(statuses({ seller: { ...ready.seller!, address: null } })).toEqual({ seller: 'failed' });
    expect(statuses({ planCount: 0 })).toEqual({ plans: 'failed' });
    expect(statuses({ gatewayKey: 'refused' })).toEqual({ payment_gateway: 'failed' });
    expect(statuses({ gatewayKey: 'unchecked' })).toEqual({ payment_gateway: 'failed' });
    expect(statuses({ gatewayKey: 'missing' })).toEqual({ payment_gateway: 'failed' });
  });

  it('warn of what can follow later', () => {
    expect(statuses({ gatewayKey: 'missing', withoutGateway: true })).toEqual({ payment_gateway: 'warning' });
    expect(statuses({ gatewayKey: 'test' })).toEqual({ payment_gateway: 'warning' });
    expect(statuses({ sendsMail: false, publicUrl: 'http://x.example' })).toEqual({
      mail: 'warning',
      public_url: 'warning',
    });
    expect(statuses({ seller: { ...ready.seller!, taxId: null } })).toEqual({ taxes: 'warning' });
    expect(statuses({ seller: { ...ready.seller!, taxId: null }, hasDefaultTaxRates: true })).toEqual({});
    const seller = {
      ...ready.seller!,
      bankAccount: { iban: 'CH5800791123000889012', bic: null },
      address: { ...address, country: 'CH', postalCode: null },
    };
    expect(statuses({ seller })).toEqual({ seller: 'warning' });
    expect(statuses({ seller: { ...seller, address } })).toEqual({});
  });
});

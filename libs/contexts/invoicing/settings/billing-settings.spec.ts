import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import { BILLING_DEFAULTS, billingSettingsDecider, prorationBasisOf } from './billing-settings.js';
import type { BillingSettingsEvent } from './events.js';

const workspaceId = 'acc_1';
const change = (changes: object) => ({ type: 'ChangeBillingSettings', workspaceId, changes }) as const;
const changed = (changes: Partial<typeof BILLING_DEFAULTS>): BillingSettingsEvent => ({
  type: 'BillingSettingsChanged',
  data: { workspaceId, ...changes },
});
const { given } = decide(billingSettingsDecider);

describe('billing settings', () => {
  it('record what is changed alone', () => {
    given()
      .when(change({ netDays: 14, autoApprove: true, invoiceFooter: undefined }))
      .then(changed({ netDays: 14 }));
    given(changed({ netDays: 14 }))
      .when(change({ netDays: 14, invoiceFooter: 'Thank you' }))
      .then(changed({ invoiceFooter: 'Thank you' }));
    given(changed({ netDays: 14 }))
      .when(change({ netDays: 14 }))
      .then();
  });

  it('keep the numbers of invoices and credit notes apart', () => {
    given()
      .when(change({ creditNoteNumberPrefix: 'INV' }))
      .refused('validation_failed', 'creditNoteNumberPrefix');
    given()
      .when(change({ creditNoteNumberPrefix: 'A', invoiceNumberPrefix: 'A' }))
      .refused('validation_failed', 'creditNoteNumberPrefix');
    given()
      .when(change({ creditNoteNumberPrefix: 'GS', invoiceNumberPrefix: 'RE' }))
      .then(changed({ creditNoteNumberPrefix: 'GS', invoiceNumberPrefix: 'RE' }));
    // The two prefixes would differ only in case.
    given()
      .when(change({ creditNoteNumberPrefix: 'inv' }))
      .refused('validation_failed', 'creditNoteNumberPrefix');
    given()
      .when(change({ invoiceNumberPrefix: 'Cn' }))
      .refused('validation_failed', 'invoiceNumberPrefix');
    given()
      .when(change({ creditNoteNumberPrefix: 'a', invoiceNumberPrefix: 'A' }))
      .refused('validation_failed', 'creditNoteNumberPrefix');
    // CN-000001 exists, and credit notes on earlier invoices continue with this prefix. So there would be two CN-000002.
    const renamed = changed({ creditNoteNumberPrefix: 'GS', invoiceNumberPrefix: 'RE' });
    given(renamed)
      .when(change({ invoiceNumberPrefix: 'CN' }))
      .refused('validation_failed', 'invoiceNumberPrefix');
    given(renamed)
      .when(change({ creditNoteNumberPrefix: 'INV' }))
      .refused('validation_failed', 'creditNoteNumberPrefix');
    given(renamed)
      .when(change({ invoiceNumberPrefix: 'INV' }))
      .then(changed({ invoiceNumberPrefix: 'INV' }));
  });

  it('have e-invoices only from a seller who can be told from others', () => {
    const seller = {
      legalName: null,
      registrationNumber: null,
      email: null,
      phone: null,
      bankAccount: null,
      address: { line1: 'A', line2: null, city: 'B', postalCode: null, region: null, country: 'DE' },
      taxId: 'DE123456789',
    };
    const on = { eInvoicing: 'facturx' } as const;
    given().when(change(on)).refused('validation_failed', 'eInvoicing');
    given(changed({ seller: { ...seller, address: null } }))
      .when(change(on))
      .refused('validation_failed', 'eInvoicing');
    given(changed({ seller: { ...seller, taxId: null } }))
      .when(change(on))
      .refused('validation_failed', 'eInvoicing');
    given(changed({ seller })).when(change(on)).then(changed(on));
    given(changed({ seller, ...on }))
      .when(change({ seller: null }))
      .refused('validation_failed', 'seller');
  });

  it('name what the seller lacks, once e-invoices are chosen', () => {
    const seller = {
      legalName: null,
      registrationNumber: null,
      email: null,
      phone: null,
      bankAccount: null,
      address: { line1: 'A', line2: null, city: 'B', postalCode: null, region: null, country: 'DE' },
      taxId: 'DE123456789',
    };
    const on = changed({ seller, eInvoicing: 'facturx' });
    given(on)
      .when(change({ seller: { ...seller, address: null } }))
      .refused('validation_failed', 'seller.address');
    given(on)
      .when(change({ seller: { ...seller, taxId: null } }))
      .refused('validation_failed', 'seller.taxId');
    const registered = { ...seller, taxId: null, registrationNumber: 'HRB 1' };
    given(on)
      .when(change({ seller: registered }))
      .then(changed({ seller: registered }));
  });

  it('have a QR-IBAN only with the address that every QR-bill has', () => {
    const address = { line1: 'A', line2: null, city: 'B', postalCode: null, region: null, country: 'CH' };
    const seller = {
      legalName: null,
      registrationNumber: null,
      email: null,
      phone: null,
      taxId: null,
      address,
      bankAccount: { iban: 'CH4431999123000889012', bic: null },
    };
    given()
      .when(change({ seller: { ...seller, address: null } }))
      .refused('validation_failed', 'seller.address');
    given().when(change({ seller })).refused('validation_failed', 'seller.address.postalCode');
    const bankAccount = { iban: 'CH5800791123000889012', bic: null };
    for (const whole of [
      { ...seller, address: { ...address, postalCode: '3000' } },
      { ...seller, bankAccount },
    ])
      given()
        .when(change({ seller: whole }))
        .then(changed({ seller: whole }));
  });

  it('remember each prefix once', () => {
    const twice = [{ invoiceNumberPrefix: 'A' }, { invoiceNumberPrefix: 'INV' }, { netDays: 3 }].map(changed);
    expect(fold(billingSettingsDecider, twice)?.prefixes).toStrictEqual({
      invoice: ['INV', 'A'],
      creditNote: ['CN'],
    });
  });

  it('say what shares of a period are counted in', () => {
    const zone = { timezone: 'Europe/Berlin' };
    expect(prorationBasisOf({ prorationBasis: 'time' }, zone)).toEqual({ unit: 'time' });
    expect(prorationBasisOf({ prorationBasis: 'days' }, zone)).toEqual({ unit: 'days', ...zone });
  });

  it('are the defaults where nothing was chosen', () => {
    expect(
      fold(billingSettingsDecider, [changed({ netDays: 14 }), changed({ invoiceNumberPrefix: 'A' })])
        ?.settings,
    ).toEqual({
      ...BILLING_DEFAULTS,
      netDays: 14,
      invoiceNumberPrefix: 'A',
    });
  });
});

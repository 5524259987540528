import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/event-store';
import { decide } from '#libs/testing';
import { BILLING_DEFAULTS, billingSettingsDecider, type BillingSettingsEvent } from './billing-settings.js';

const accountId = 'acc_1';
const change = (changes: object) => ({ type: 'ChangeBillingSettings', accountId, changes }) as const;
const changed = (changes: Partial<typeof BILLING_DEFAULTS>): BillingSettingsEvent => ({
  type: 'BillingSettingsChanged',
  data: { accountId, ...changes },
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
      .refused('validation_failed');
    given()
      .when(change({ creditNoteNumberPrefix: 'A', invoiceNumberPrefix: 'A' }))
      .refused('validation_failed');
    given()
      .when(change({ creditNoteNumberPrefix: 'GS', invoiceNumberPrefix: 'RE' }))
      .then(changed({ creditNoteNumberPrefix: 'GS', invoiceNumberPrefix: 'RE' }));
    // They would be told apart by their case alone.
    given()
      .when(change({ creditNoteNumberPrefix: 'inv' }))
      .refused('validation_failed');
    given()
      .when(change({ invoiceNumberPrefix: 'Cn' }))
      .refused('validation_failed');
    given()
      .when(change({ creditNoteNumberPrefix: 'a', invoiceNumberPrefix: 'A' }))
      .refused('validation_failed');
    // There is a CN-000001, and credit notes on invoices of before go on so: there would be two CN-000002.
    const renamed = changed({ creditNoteNumberPrefix: 'GS', invoiceNumberPrefix: 'RE' });
    given(renamed)
      .when(change({ invoiceNumberPrefix: 'CN' }))
      .refused('validation_failed');
    given(renamed)
      .when(change({ creditNoteNumberPrefix: 'INV' }))
      .refused('validation_failed');
    given(renamed)
      .when(change({ invoiceNumberPrefix: 'INV' }))
      .then(changed({ invoiceNumberPrefix: 'INV' }));
  });

  it('have e-invoices only from a seller who can be told from others', () => {
    const seller = {
      ...{ legalName: null, registrationNumber: null, email: null, phone: null, bankAccount: null },
      address: { line1: 'A', line2: null, city: 'B', postalCode: null, region: null, country: 'DE' },
      taxId: 'DE123456789',
    };
    const on = { eInvoicing: 'facturx' } as const;
    given().when(change(on)).refused('validation_failed');
    given(changed({ seller: { ...seller, address: null } }))
      .when(change(on))
      .refused('validation_failed');
    given(changed({ seller: { ...seller, taxId: null } }))
      .when(change(on))
      .refused('validation_failed');
    given(changed({ seller })).when(change(on)).then(changed(on));
    given(changed({ seller, ...on }))
      .when(change({ seller: null }))
      .refused('validation_failed');
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

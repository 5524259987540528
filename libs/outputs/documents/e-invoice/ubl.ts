import type { EInvoiceProfile, PostalAddress } from '#libs/kernel/core';
import type { EAllowance, ECategory, EInvoice, ELine, EParty, EPayment, EPeriod } from './e-invoice.js';

/** An element with its content. An attribute of an element is written as `element@attribute`. */
export interface Element {
  [name: string]: string | Element | (string | Element)[];
}

/** An element in which null represents a missing part. */
interface Draft {
  [name: string]: string | null | Draft | (string | Draft)[];
}

const VAT: Draft = { 'cbc:ID': 'VAT' };
/** The scheme of a tax number that is no VAT id, as CII names it (UNTDID 1153). */
const TAX_NUMBER: Draft = { 'cbc:ID': 'FC' };

/** The identifiers of the specifications (BT-24): EN 16931, XRechnung 3.0 and Peppol BIS Billing 3.0. */
const SPECIFICATIONS: Readonly<Record<EInvoiceProfile, string>> = {
  en16931: 'urn:cen.eu:en16931:2017',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
  peppol: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
};
/** The business process (BT-23): an invoice without an order before it. */
const PROCESS = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
/** The unit "one", from UN/ECE Recommendation 20. */
const ONE = 'C62';

/**
 * Makes the UBL document from which the e-invoice library writes every format. In the library's UBL document, a credit note has the same
 * element names as an invoice. Each business term of EN 16931 is in the element that CEN/TS 16931-3-2 assigns to it.
 */
export function ublOf(invoice: EInvoice): Element {
  const { currency, vat, totals } = invoice;
  const money = (name: string, amount: string): Draft => ({
    [name]: amount,
    [`${name}@currencyID`]: currency,
  });
  return written({
    'ubl:Invoice': {
      'cbc:CustomizationID': SPECIFICATIONS[invoice.profile],
      'cbc:ProfileID': PROCESS,
      'cbc:ID': invoice.number,
      'cbc:IssueDate': invoice.issueDate,
      'cbc:DueDate': invoice.dueDate,
      'cbc:InvoiceTypeCode': invoice.typeCode,
      'cbc:Note': invoice.note === null ? null : [invoice.note],
      'cbc:DocumentCurrencyCode': currency,
      'cbc:BuyerReference': invoice.buyerReference,
      'cac:InvoicePeriod': periodOf(invoice.period),
      'cac:OrderReference': invoice.orderNumber === null ? null : { 'cbc:ID': invoice.orderNumber },
      'cac:BillingReference': invoice.precedingInvoice && [
        {
          'cac:InvoiceDocumentReference': {
            'cbc:ID': invoice.precedingInvoice.number,
            'cbc:IssueDate': invoice.precedingInvoice.issueDate,
          },
        },
      ],
      'cac:AccountingSupplierParty': { 'cac:Party': supplierOf(invoice.seller) },
      'cac:AccountingCustomerParty': { 'cac:Party': customerOf(invoice.buyer) },
      'cac:PaymentMeans': [paymentOf(invoice.payment)],
      'cac:PaymentTerms': invoice.paymentTerms === null ? null : { 'cbc:Note': invoice.paymentTerms },
      'cac:AllowanceCharge':
        invoice.allowances.length > 0 ? invoice.allowances.map((one) => allowanceOf(one, money)) : null,
      'cac:TaxTotal': [
        {
          ...money('cbc:TaxAmount', totals.vat),
          'cac:TaxSubtotal': vat.map((one) => ({
            ...money('cbc:TaxableAmount', one.taxable),
            ...money('cbc:TaxAmount', one.amount),
            'cac:TaxCategory': {
              ...categoryOf(one),
              // BR-DE-14: XRechnung states a rate of category O too. EN 16931 does not forbid it (BR-48).
              'cbc:Percent': one.percent ?? (invoice.profile === 'xrechnung' ? '0' : null),
              'cbc:TaxExemptionReasonCode': one.reasonCode,
              'cbc:TaxExemptionReason': one.reason,
            },
          })),
        },
      ],
      'cac:LegalMonetaryTotal': {
        ...money('cbc:LineExtensionAmount', totals.lines),
        ...money('cbc:TaxExclusiveAmount', totals.withoutVat),
        ...money('cbc:TaxInclusiveAmount', totals.withVat),
        ...money('cbc:AllowanceTotalAmount', totals.allowances),
        ...money('cbc:PrepaidAmount', totals.prepaid),
        ...money('cbc:PayableRoundingAmount', totals.rounding),
        ...money('cbc:PayableAmount', totals.due),
      },
      'cac:InvoiceLine': invoice.lines.map((line) => lineOf(line, money)),
    },
  });
}

type Money = (name: string, amount: string) => Draft;

function supplierOf(party: EParty): Draft {
  const { identifier, vatId, taxNumber } = party;
  const schemes = [
    ...(vatId === null ? [] : [{ 'cbc:CompanyID': vatId, 'cac:TaxScheme': VAT }]),
    ...(taxNumber === null ? [] : [{ 'cbc:CompanyID': taxNumber, 'cac:TaxScheme': TAX_NUMBER }]),
  ];
  return {
    ...partyOf(party),
    'cac:PartyIdentification': identifier === null ? null : [{ 'cbc:ID': identifier }],
    'cac:PartyTaxScheme': schemes.length === 0 ? null : schemes,
    'cac:Contact': contactOf(party),
  };
}

function customerOf(party: EParty): Draft {
  const { vatId } = party;
  return {
    ...partyOf(party),
    'cac:PartyTaxScheme': vatId === null ? null : { 'cbc:CompanyID': vatId, 'cac:TaxScheme': VAT },
  };
}

function partyOf({ name, address, registrationNumber, electronicAddress }: EParty): Draft {
  return {
    'cbc:EndpointID': electronicAddress && electronicAddress.id,
    'cbc:EndpointID@schemeID': electronicAddress && electronicAddress.scheme,
    'cac:PostalAddress': addressOf(address),
    'cac:PartyLegalEntity': { 'cbc:RegistrationName': name, 'cbc:CompanyID': registrationNumber },
  };
}

function contactOf({ contactName, email, phone }: EParty): Draft | null {
  if (contactName === null && email === null && phone === null) return null;
  return { 'cbc:Name': contactName, 'cbc:Telephone': phone, 'cbc:ElectronicMail': email };
}

function addressOf({ line1, line2, city, postalCode, region, country }: PostalAddress): Draft {
  return {
    'cbc:StreetName': line1,
    'cbc:AdditionalStreetName': line2,
    'cbc:CityName': city,
    'cbc:PostalZone': postalCode,
    'cbc:CountrySubentity': region,
    'cac:Country': { 'cbc:IdentificationCode': country },
  };
}

function paymentOf(payment: EPayment): Draft {
  if (payment.code === '68' || payment.code === '1') return { 'cbc:PaymentMeansCode': payment.code };
  const { code, iban, bic, name, reference } = payment;
  return {
    'cbc:PaymentMeansCode': code,
    'cbc:PaymentID': [reference],
    'cac:PayeeFinancialAccount': {
      'cbc:ID': iban,
      'cbc:Name': name,
      'cac:FinancialInstitutionBranch': bic === null ? null : { 'cbc:ID': bic },
    },
  };
}

function allowanceOf({ reason, amount, category }: EAllowance, money: Money): Draft {
  return {
    'cbc:ChargeIndicator': 'false',
    // 95 means a discount, in UNTDID 5189.
    'cbc:AllowanceChargeReasonCode': '95',
    'cbc:AllowanceChargeReason': reason,
    ...money('cbc:Amount', amount),
    'cac:TaxCategory': categoryOf(category),
  };
}

function lineOf(
  { id, name, note, quantity, price, baseQuantity, amount, period, category }: ELine,
  money: Money,
): Draft {
  return {
    'cbc:ID': id,
    'cbc:Note': note,
    'cbc:InvoicedQuantity': quantity,
    'cbc:InvoicedQuantity@unitCode': ONE,
    ...money('cbc:LineExtensionAmount', amount),
    'cac:InvoicePeriod': periodOf(period),
    'cac:Item': { 'cbc:Name': name, 'cac:ClassifiedTaxCategory': categoryOf(category) },
    'cac:Price': {
      ...money('cbc:PriceAmount', price),
      ...(baseQuantity === '1' ? {} : { 'cbc:BaseQuantity': baseQuantity, 'cbc:BaseQuantity@unitCode': ONE }),
    },
  };
}

function categoryOf({ code, percent }: ECategory): Draft {
  return { 'cbc:ID': code, 'cbc:Percent': percent, 'cac:TaxScheme': VAT };
}

function periodOf({ start, end }: EPeriod): Draft {
  return { 'cbc:StartDate': start, 'cbc:EndDate': end };
}

/**
 * Characters that XML 1.0 does not allow, even in escaped form. Group names in usage events can contain characters that XML does not allow.
 */
// eslint-disable-next-line no-control-regex -- these are the characters that are left out
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Removes the missing parts of an element, and replaces each character that cannot be written. */
function written(draft: Draft): Element {
  const value = (one: string | Draft) =>
    typeof one === 'string' ? one.replace(UNWRITABLE, '\ufffd') : written(one);
  return Object.fromEntries(
    Object.entries(draft).flatMap(([name, one]): [string, Element[string]][] =>
      one === null ? [] : [[name, Array.isArray(one) ? one.map(value) : value(one)]],
    ),
  );
}

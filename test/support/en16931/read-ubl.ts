import type { LineTerms, PartyTerms, Terms } from './terms.js';
import { all, endpointOf, rootOf, text, type Node } from './xml.js';

/** The terms of a UBL invoice or credit note. */
export function readUbl(xml: string, root: 'Invoice' | 'CreditNote' = 'Invoice'): Terms {
  const invoice = rootOf(xml, root);
  const at = (path: string) => text(invoice, path);
  const total = (name: string) => at(`cac:LegalMonetaryTotal/cbc:${name}`);
  return {
    number: at('cbc:ID'),
    typeCode: at(`cbc:${root}TypeCode`),
    issueDate: at('cbc:IssueDate'),
    dueDate: at('cbc:DueDate'),
    paymentTerms: at('cac:PaymentTerms/cbc:Note'),
    currency: at('cbc:DocumentCurrencyCode'),
    specification: at('cbc:CustomizationID'),
    process: at('cbc:ProfileID'),
    buyerReference: at('cbc:BuyerReference'),
    orderNumber: at('cac:OrderReference/cbc:ID'),
    periodStart: at('cac:InvoicePeriod/cbc:StartDate'),
    periodEnd: at('cac:InvoicePeriod/cbc:EndDate'),
    preceding: at('cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID'),
    seller: party(all(invoice, 'cac:AccountingSupplierParty/cac:Party')[0]),
    buyer: party(all(invoice, 'cac:AccountingCustomerParty/cac:Party')[0]),
    paymentCode: at('cac:PaymentMeans/cbc:PaymentMeansCode'),
    paymentReference: at('cac:PaymentMeans/cbc:PaymentID'),
    iban: at('cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID'),
    lines: all(invoice, `cac:${root}Line`).map((line) => lineOf(line, root)),
    allowances: all(invoice, 'cac:AllowanceCharge').map((one) => ({
      reason: text(one, 'cbc:AllowanceChargeReason'),
      amount: text(one, 'cbc:Amount')!,
      category: text(one, 'cac:TaxCategory/cbc:ID'),
      percent: text(one, 'cac:TaxCategory/cbc:Percent'),
    })),
    breakdown: all(invoice, 'cac:TaxTotal/cac:TaxSubtotal').map((one) => ({
      taxable: text(one, 'cbc:TaxableAmount')!,
      amount: text(one, 'cbc:TaxAmount')!,
      category: text(one, 'cac:TaxCategory/cbc:ID'),
      percent: text(one, 'cac:TaxCategory/cbc:Percent'),
      reason: text(one, 'cac:TaxCategory/cbc:TaxExemptionReason'),
      reasonCode: text(one, 'cac:TaxCategory/cbc:TaxExemptionReasonCode'),
    })),
    totals: {
      lines: total('LineExtensionAmount')!,
      allowances: total('AllowanceTotalAmount'),
      withoutVat: total('TaxExclusiveAmount')!,
      vat: at('cac:TaxTotal/cbc:TaxAmount'),
      withVat: total('TaxInclusiveAmount')!,
      prepaid: total('PrepaidAmount'),
      rounding: total('PayableRoundingAmount'),
      due: total('PayableAmount')!,
    },
  };
}

function party(node: Node): PartyTerms {
  const taxId = (scheme: string) => {
    const of = all(node, 'cac:PartyTaxScheme').find((one) => text(one, 'cac:TaxScheme/cbc:ID') === scheme);
    return of === undefined ? null : text(of, 'cbc:CompanyID');
  };
  return {
    name: text(node, 'cac:PartyLegalEntity/cbc:RegistrationName'),
    country: text(node, 'cac:PostalAddress/cac:Country/cbc:IdentificationCode'),
    hasAddress: all(node, 'cac:PostalAddress').length > 0,
    vatId: taxId('VAT'),
    taxNumber: taxId('FC'),
    registrationNumber: text(node, 'cac:PartyLegalEntity/cbc:CompanyID'),
    identifier: text(node, 'cac:PartyIdentification/cbc:ID'),
    endpoint: endpointOf(text(node, 'cbc:EndpointID/@schemeID'), text(node, 'cbc:EndpointID')),
    contact: {
      name: text(node, 'cac:Contact/cbc:Name'),
      phone: text(node, 'cac:Contact/cbc:Telephone'),
      email: text(node, 'cac:Contact/cbc:ElectronicMail'),
    },
    city: text(node, 'cac:PostalAddress/cbc:CityName'),
    postalCode: text(node, 'cac:PostalAddress/cbc:PostalZone'),
  };
}

function lineOf(line: Node, root: 'Invoice' | 'CreditNote'): LineTerms {
  const quantity = root === 'Invoice' ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity';
  return {
    id: text(line, 'cbc:ID'),
    name: text(line, 'cac:Item/cbc:Name'),
    note: text(line, 'cbc:Note'),
    quantity: text(line, quantity),
    unit: text(line, `${quantity}/@unitCode`),
    price: text(line, 'cac:Price/cbc:PriceAmount'),
    baseQuantity: text(line, 'cac:Price/cbc:BaseQuantity'),
    amount: text(line, 'cbc:LineExtensionAmount')!,
    category: text(line, 'cac:Item/cac:ClassifiedTaxCategory/cbc:ID'),
    percent: text(line, 'cac:Item/cac:ClassifiedTaxCategory/cbc:Percent'),
    start: text(line, 'cac:InvoicePeriod/cbc:StartDate'),
    end: text(line, 'cac:InvoicePeriod/cbc:EndDate'),
  };
}

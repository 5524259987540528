import type { LineTerms, PartyTerms, Terms } from './terms.js';
import { all, endpointOf, rootOf, text, type Node } from './xml.js';

/** The terms of a Cross Industry Invoice. */
export function readCii(xml: string): Terms {
  const root = rootOf(xml, 'rsm:CrossIndustryInvoice');
  const document = all(root, 'rsm:ExchangedDocument')[0];
  const transaction = all(root, 'rsm:SupplyChainTradeTransaction')[0];
  const agreement = all(transaction, 'ram:ApplicableHeaderTradeAgreement')[0];
  const settlement = all(transaction, 'ram:ApplicableHeaderTradeSettlement')[0];
  const at = (path: string) => text(settlement, `ram:${path}`);
  const total = (name: string) => at(`SpecifiedTradeSettlementHeaderMonetarySummation/ram:${name}`);
  const means = 'SpecifiedTradeSettlementPaymentMeans';
  return {
    number: text(document, 'ram:ID'),
    typeCode: text(document, 'ram:TypeCode'),
    issueDate: dateOf(document, 'ram:IssueDateTime'),
    dueDate: dateOf(settlement, 'ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime'),
    paymentTerms: at('SpecifiedTradePaymentTerms/ram:Description'),
    currency: at('InvoiceCurrencyCode'),
    specification: text(
      root,
      'rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID',
    ),
    process: text(
      root,
      'rsm:ExchangedDocumentContext/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID',
    ),
    buyerReference: text(agreement, 'ram:BuyerReference'),
    orderNumber: text(agreement, 'ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID'),
    periodStart: dateOf(settlement, 'ram:BillingSpecifiedPeriod/ram:StartDateTime'),
    periodEnd: dateOf(settlement, 'ram:BillingSpecifiedPeriod/ram:EndDateTime'),
    preceding: at('InvoiceReferencedDocument/ram:IssuerAssignedID'),
    seller: party(all(agreement, 'ram:SellerTradeParty')[0]),
    buyer: party(all(agreement, 'ram:BuyerTradeParty')[0]),
    paymentCode: at(`${means}/ram:TypeCode`),
    paymentReference: at('PaymentReference'),
    iban: at(`${means}/ram:PayeePartyCreditorFinancialAccount/ram:IBANID`),
    lines: all(transaction, 'ram:IncludedSupplyChainTradeLineItem').map(lineOf),
    allowances: all(settlement, 'ram:SpecifiedTradeAllowanceCharge').map((one) => ({
      reason: text(one, 'ram:Reason'),
      amount: text(one, 'ram:ActualAmount')!,
      category: text(one, 'ram:CategoryTradeTax/ram:CategoryCode'),
      percent: text(one, 'ram:CategoryTradeTax/ram:RateApplicablePercent'),
    })),
    breakdown: all(settlement, 'ram:ApplicableTradeTax').map((one) => ({
      taxable: text(one, 'ram:BasisAmount')!,
      amount: text(one, 'ram:CalculatedAmount')!,
      category: text(one, 'ram:CategoryCode'),
      percent: text(one, 'ram:RateApplicablePercent'),
      reason: text(one, 'ram:ExemptionReason'),
      reasonCode: text(one, 'ram:ExemptionReasonCode'),
    })),
    totals: {
      lines: total('LineTotalAmount')!,
      allowances: total('AllowanceTotalAmount'),
      withoutVat: total('TaxBasisTotalAmount')!,
      vat: total('TaxTotalAmount'),
      withVat: total('GrandTotalAmount')!,
      prepaid: total('TotalPrepaidAmount'),
      rounding: total('RoundingAmount'),
      due: total('DuePayableAmount')!,
    },
  };
}

function party(node: Node): PartyTerms {
  const endpoint = 'ram:URIUniversalCommunication/ram:URIID';
  const taxId = (scheme: string) => {
    const ids = all(node, 'ram:SpecifiedTaxRegistration/ram:ID');
    const of = ids.find((one) => typeof one === 'object' && one['@schemeID'] === scheme);
    return typeof of === 'object' && typeof of['#'] === 'string' ? of['#'] : null;
  };
  return {
    name: text(node, 'ram:Name'),
    country: text(node, 'ram:PostalTradeAddress/ram:CountryID'),
    hasAddress: all(node, 'ram:PostalTradeAddress').length > 0,
    vatId: taxId('VA'),
    taxNumber: taxId('FC'),
    registrationNumber: text(node, 'ram:SpecifiedLegalOrganization/ram:ID'),
    identifier: text(node, 'ram:ID'),
    endpoint: endpointOf(text(node, `${endpoint}/@schemeID`), text(node, endpoint)),
    contact: {
      name: text(node, 'ram:DefinedTradeContact/ram:PersonName'),
      phone: text(node, 'ram:DefinedTradeContact/ram:TelephoneUniversalCommunication/ram:CompleteNumber'),
      email: text(node, 'ram:DefinedTradeContact/ram:EmailURIUniversalCommunication/ram:URIID'),
    },
    city: text(node, 'ram:PostalTradeAddress/ram:CityName'),
    postalCode: text(node, 'ram:PostalTradeAddress/ram:PostcodeCode'),
  };
}

function lineOf(line: Node): LineTerms {
  const price = 'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice';
  const quantity = 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity';
  const settlement = all(line, 'ram:SpecifiedLineTradeSettlement')[0];
  return {
    id: text(line, 'ram:AssociatedDocumentLineDocument/ram:LineID'),
    name: text(line, 'ram:SpecifiedTradeProduct/ram:Name'),
    note: text(line, 'ram:AssociatedDocumentLineDocument/ram:IncludedNote/ram:Content'),
    quantity: text(line, quantity),
    unit: text(line, `${quantity}/@unitCode`),
    price: text(line, `${price}/ram:ChargeAmount`),
    baseQuantity: text(line, `${price}/ram:BasisQuantity`),
    amount: text(settlement, 'ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount')!,
    category: text(settlement, 'ram:ApplicableTradeTax/ram:CategoryCode'),
    percent: text(settlement, 'ram:ApplicableTradeTax/ram:RateApplicablePercent'),
    start: dateOf(settlement, 'ram:BillingSpecifiedPeriod/ram:StartDateTime'),
    end: dateOf(settlement, 'ram:BillingSpecifiedPeriod/ram:EndDateTime'),
  };
}

/** `20260131` as `2026-01-31`. */
function dateOf(node: Node, path: string): string | null {
  return text(node, `${path}/udt:DateTimeString`)?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') ?? null;
}

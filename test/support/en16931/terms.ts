/** What the rules of EN 16931 are about, read from either syntax. Amounts are as they stand there; null: not there. */
export interface Terms {
  number: string | null;
  typeCode: string | null;
  issueDate: string | null;
  dueDate: string | null;
  paymentTerms: string | null;
  currency: string | null;
  specification: string | null;
  process: string | null;
  periodStart: string | null;
  periodEnd: string | null;
  buyerReference: string | null;
  orderNumber: string | null;
  preceding: string | null;
  seller: PartyTerms;
  buyer: PartyTerms;
  paymentCode: string | null;
  /** BT-83 */
  paymentReference: string | null;
  iban: string | null;
  lines: LineTerms[];
  allowances: { reason: string | null; amount: string; category: string | null; percent: string | null }[];
  breakdown: {
    taxable: string;
    amount: string;
    category: string | null;
    percent: string | null;
    reason: string | null;
    reasonCode: string | null;
  }[];
  totals: {
    lines: string;
    allowances: string | null;
    withoutVat: string;
    vat: string | null;
    withVat: string;
    prepaid: string | null;
    rounding: string | null;
    due: string;
  };
}

export interface PartyTerms {
  name: string | null;
  country: string | null;
  hasAddress: boolean;
  vatId: string | null;
  registrationNumber: string | null;
  identifier: string | null;
  taxNumber: string | null;
  /** Scheme and id. */
  endpoint: string | null;
  contact: { name: string | null; phone: string | null; email: string | null };
  city: string | null;
  postalCode: string | null;
}

export interface LineTerms {
  id: string | null;
  name: string | null;
  note: string | null;
  quantity: string | null;
  unit: string | null;
  price: string | null;
  baseQuantity: string | null;
  amount: string;
  category: string | null;
  percent: string | null;
  start: string | null;
  end: string | null;
}

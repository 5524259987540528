import type { Terms } from './terms.js';

/*
 * The rules of XRechnung 3.0 (BR-DE) and of Peppol BIS Billing 3.0 (PEPPOL-EN16931, DE-R) that a document of ours can break, by the names
 * that their Schematron files give them.
 */

const XRECHNUNG = 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0';
const PEPPOL = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0';

/** The rules of its profile that a document breaks, by name; none if it keeps all. */
export function profileViolations(terms: Terms): string[] {
  const { seller, buyer, specification } = terms;
  const isGerman = seller.country === 'DE' && buyer.country === 'DE';
  const common: Record<string, boolean> = {
    'PEPPOL-EN16931-R001': terms.process !== null,
    'PEPPOL-EN16931-R010': buyer.endpoint !== null,
    'PEPPOL-EN16931-R020': seller.endpoint !== null,
    'PEPPOL-EN16931-R110': terms.lines.every(({ start }) => start === null || start >= terms.periodStart!),
    'PEPPOL-EN16931-R111': terms.lines.every(({ end }) => end === null || end <= terms.periodEnd!),
  };
  if (specification === XRECHNUNG) return broken({ ...common, ...german(terms, 'BR-DE-') });
  if (specification !== PEPPOL) return ['BR-DE-21', 'PEPPOL-EN16931-R004'];
  return broken({
    ...common,
    'PEPPOL-EN16931-R003': terms.buyerReference !== null || terms.orderNumber !== null,
    'PEPPOL-EN16931-CL008': [seller, buyer].every(({ endpoint }) => /^\d{4}:/.test(endpoint ?? '')),
    ...(isGerman ? german(terms, 'DE-R-0') : {}),
  });
}

function german({ seller, buyer, ...terms }: Terms, prefix: 'BR-DE-' | 'DE-R-0'): Record<string, boolean> {
  const name = (rule: number) => `${prefix}${prefix === 'DE-R-0' ? String(rule).padStart(2, '0') : rule}`;
  const { contact } = seller;
  return {
    [name(1)]: terms.paymentCode !== null,
    [name(3)]: seller.city !== null,
    [name(4)]: seller.postalCode !== null,
    [name(5)]: contact.name !== null,
    [name(6)]: contact.phone !== null,
    [name(7)]: contact.email !== null,
    [name(8)]: buyer.city !== null,
    [name(9)]: buyer.postalCode !== null,
    [name(14)]: terms.breakdown.every(({ percent }) => percent !== null),
    [name(15)]: terms.buyerReference !== null,
    [name(16)]: seller.vatId !== null || seller.taxNumber !== null || terms.breakdown[0]?.category === 'O',
    [name(27)]: (contact.phone ?? '').replaceAll(/\D/g, '').length >= 3,
    [name(28)]: /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(contact.email ?? ''),
  };
}

function broken(rules: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(rules).flatMap(([rule, isKept]) => (isKept ? [] : [rule]));
}

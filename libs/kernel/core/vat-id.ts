/**
 * The formats of VAT identification numbers after their prefix, for each member state of the EU, Northern Ireland, the United Kingdom and
 * Switzerland. Source for the EU and Northern Ireland: https://ec.europa.eu/taxation_customs/vies/#/faq ("What is the format of a VAT
 * number?"). The British formats are those that VIES had before 2021. The Swiss format is that of the UID register
 * (https://www.uid.admin.ch) with the suffix for VAT.
 */
const NATIONAL: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CH: /^E\d{9}(?:MWST|TVA|IVA)?$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^(?:[A-Z]\d{7}[A-Z\d]|\d{8}[A-Z])$/,
  FI: /^\d{8}$/,
  FR: /^[A-HJ-NP-Z\d]{2}\d{9}$/,
  GB: /^(?:\d{9}|\d{12}|GD\d{3}|HA\d{3})$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^\d[A-Z\d+*]\d{5}[A-W][A-I]?$/,
  IT: /^\d{11}$/,
  LT: /^(?:\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^[A-Z\d+*]{10}\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
  XI: /^(?:\d{9}|\d{12}|GD\d{3}|HA\d{3})$/,
};

const ELSEWHERE = /^[A-Z\d]{2,15}$/;

/**
 * Returns a VAT identification number in its stored form: in capitals, without spaces, dots and hyphens. Returns `undefined` if the format
 * is wrong. The number must begin with the country's code (Greece: EL). The rest of the number must have the country's format, if this file
 * contains that format. Only the tax authorities know whether the number was ever issued.
 */
export function readVatId(text: string): string | undefined {
  const vatId = text.replace(/[\s.-]/g, '').toUpperCase();
  const prefix = vatId.slice(0, 2);
  if (prefix === 'GR' || !/^[A-Z]{2}$/.test(prefix)) return undefined;
  return (NATIONAL[prefix] ?? ELSEWHERE).test(vatId.slice(2)) ? vatId : undefined;
}

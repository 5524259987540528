/** The address of a party in a network for e-invoices, such as Peppol (EN 16931: BT-34 of the seller, BT-49 of the buyer). */
export interface ElectronicAddress {
  /** The scheme of the id, from {@link ELECTRONIC_ADDRESS_SCHEMES}: `0204` for a Leitweg-ID, `0088` for a GLN, `EM` for e-mail. */
  scheme: string;
  id: string;
}

/** The schemes of electronic addresses (CEF code list EAS, rule BR-CL-25 of EN 16931). */
export const ELECTRONIC_ADDRESS_SCHEMES: readonly string[] = (
  '0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0154 0158 0170 0177 0183 0184 0188 0190 0191 0192 0193 0194 ' +
  '0195 0196 0198 0199 0200 0201 0202 0203 0204 0205 0208 0209 0210 0211 0212 0213 0215 0216 0217 0218 0219 0220 0221 0225 0230 0235 ' +
  '0240 0242 0244 0245 0246 0248 9910 9913 9914 9915 9918 9919 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 9931 9932 9933 9934 ' +
  '9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959 AN AQ AS AU EM'
).split(' ');

/** What an e-invoice keeps to: the norm alone, or the specification of a country or network that is built on the norm. */
export const E_INVOICE_PROFILES = ['en16931', 'xrechnung', 'peppol'] as const;
export type EInvoiceProfile = (typeof E_INVOICE_PROFILES)[number];

/** A postal address. Unknown parts are null. */
export interface PostalAddress {
  line1: string;
  line2: string | null;
  city: string;
  postalCode: string | null;
  /** State, province or prefecture. */
  region: string | null;
  /** The country, as ISO 3166-1 alpha-2. */
  country: string;
}

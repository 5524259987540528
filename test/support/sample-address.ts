/** The address of a customer, with every field. */
export const SAMPLE_ADDRESS = {
  line1: 'Hauptstr. 1',
  line2: '2. Stock',
  city: 'Berlin',
  postalCode: '10115',
  region: 'Berlin',
  country: 'DE',
};

/** The logo of the demo's seller, which shows beads on a counting frame. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 40">
  <g stroke="#0f766e" stroke-width="3" stroke-linecap="round"><path d="M4 3v34M60 3v34M4 12h56M4 28h56" fill="none"/></g>
  <g fill="#f59e0b"><circle cx="16" cy="12" r="6"/><circle cx="30" cy="12" r="6"/><circle cx="50" cy="12" r="6"/></g>
  <g fill="#0f766e"><circle cx="14" cy="28" r="6"/><circle cx="36" cy="28" r="6"/><circle cx="50" cy="28" r="6"/></g>
</svg>`;

/** The billing settings of the demo: the seller's details and the design of its documents. */
export const demoBillingSettings = {
  seller: {
    legalName: 'Countinghouse Demo Inc.',
    address: {
      line1: '350 Fifth Avenue',
      city: 'New York',
      region: 'NY',
      postalCode: '10118',
      country: 'US',
    },
    registrationNumber: 'NY 5550123',
    email: 'billing@countinghouse.example',
    phone: '+1 212 555 0123',
  },
  paperSize: 'letter',
  brandColor: '#0f766e',
  logo: `data:image/svg+xml;base64,${Buffer.from(LOGO).toString('base64')}`,
};

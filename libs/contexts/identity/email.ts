/** The form in which addresses are stored and compared. Nobody's mail server tells capitals apart. */
export function normaliseEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

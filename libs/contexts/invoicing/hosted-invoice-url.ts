import { publicUrlOf, type Settings } from '#libs/kernel/system';

/** The address of the hosted page for a token. */
export function hostedInvoiceUrl(
  settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>,
  token: string,
): string {
  return `${publicUrlOf(settings)}/i/${token}`;
}

import { publicUrlOf, type Settings } from '#libs/kernel/system';
import type { LinkPurpose } from './link-tokens.js';

/** Returns the URL of the page that a link in a mail opens. */
export function authPageUrl(
  settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>,
  purpose: LinkPurpose,
  token: string,
): string {
  return `${publicUrlOf(settings)}/auth/${purpose}/${token}`;
}

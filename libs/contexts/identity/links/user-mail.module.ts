import { Module } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { requireSetting, type Settings } from '#libs/kernel/system';
import { WorkspaceNamesModule } from '../workspace-names.module.js';
import { LinkRequestCipher } from './link-request-cipher.js';
import { LinkTokens } from './link-tokens.js';
import { UserMailProcess } from './user-mail.process.js';

/** Writes mail to users, as part of the saga program. */
@Module({
  imports: [WorkspaceNamesModule],
  providers: [
    {
      provide: LinkTokens,
      useFactory: (settings: Settings) => new LinkTokens(requireSetting(settings, 'jwtSecret')),
      inject: [SETTINGS],
    },
    LinkRequestCipher,
    UserMailProcess,
  ],
  exports: [UserMailProcess],
})
export class UserMailModule {}

import { ApiProperty } from '@nestjs/swagger';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '#libs/contexts/identity';
import { EmailField, TextField } from '../http/index.js';

/** The length limit, description and example of the request field that takes the token of a link. */
export const LINK_TOKEN_FIELD = {
  max: 512,
  description: 'The token at the end of the link in the mail.',
  example: 'kq3cX0Yb1mJ7w2dVtR9sZ4pNkq3cX0Yb1mJ7w2dVtR9',
};

export class RequestLinkBody {
  @EmailField({ example: 'ada@example.com', description: 'The e-mail address of the user.' })
  email: string;
}

export class LinkRequestedView {
  @ApiProperty({
    description: 'What happens now. The message does not tell whether a user has the e-mail address.',
    example: 'If a user has this address, a link is on its way to it',
  })
  message: string;
}

export class VerifyMagicLinkBody {
  @TextField(LINK_TOKEN_FIELD)
  token: string;

  @TextField({
    min: 1,
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    optional: true,
    description:
      'The password of the registration. It is read if nobody has proved the e-mail address before: whoever knows it goes on with the user ' +
      'and the sandbox of the registration.',
    example: 'correct horse battery staple',
  })
  password?: string;
}

export class ResetPasswordBody {
  @TextField(LINK_TOKEN_FIELD)
  token: string;

  @TextField({
    min: MIN_PASSWORD_LENGTH,
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    description: 'The new password. The password must meet the same rules as at registration.',
    example: 'correct horse battery staple',
  })
  password: string;
}

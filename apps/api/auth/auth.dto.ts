import { ApiProperty } from '@nestjs/swagger';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '#libs/contexts/identity';
import { EmailField, NameField, TextField } from '../http/index.js';
import { UserView } from '../users/user.dto.js';
import { LINK_TOKEN_FIELD } from './links.dto.js';

export class RegisterBody {
  @EmailField({ example: 'ada@example.com', description: 'The e-mail address to sign in with.' })
  email: string;

  @TextField({
    min: MIN_PASSWORD_LENGTH,
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    description:
      'The password. The password is stored as an argon2id hash. A common password, a password of spaces only, and the e-mail address ' +
      'itself are refused.',
    example: 'correct horse battery staple',
  })
  password: string;

  @NameField({ max: 200, example: 'Ada Lovelace', description: 'The name of the user.' })
  name: string;

  @NameField({
    max: 200,
    optional: true,
    description: 'The name of the workspace.',
    example: 'Analytical Engines Ltd',
  })
  companyName?: string;
}

export class AcceptInvitationBody {
  @TextField(LINK_TOKEN_FIELD)
  token: string;

  @NameField({ max: 200, example: 'Grace Hopper', description: 'The name of the user.' })
  name: string;

  @TextField({
    min: MIN_PASSWORD_LENGTH,
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    description: 'The password of the user. The password must meet the same rules as at registration.',
    example: 'correct horse battery staple',
  })
  password: string;
}

export class LoginBody {
  @EmailField({ example: 'ada@example.com', description: 'The registered e-mail address.' })
  email: string;

  @TextField({
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    example: 'correct horse battery staple',
    description: 'The registered password.',
  })
  password: string;
}

const refreshToken = {
  max: 512,
  description: 'The refresh token from the response to a sign-in of any kind, or to the last refresh.',
};

export class RefreshBody {
  @TextField(refreshToken)
  refreshToken: string;
}

export class LogoutBody {
  @TextField({ ...refreshToken, optional: true })
  refreshToken?: string;
}

export class TokensView {
  @ApiProperty({
    description: 'The access token. Send it as `Authorization: Bearer <accessToken>`.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.signature',
  })
  accessToken: string;
  @ApiProperty({ description: 'A token for one exchange at `POST /v1/auth/refresh`.' }) refreshToken: string;
  @ApiProperty({ description: 'The lifetime of the access token in seconds.', example: 900, type: 'integer' })
  expiresIn: number;
}

export class SignedInView {
  @ApiProperty({ description: 'The user who signed in.' }) user: UserView;
  @ApiProperty({ description: 'The tokens of the session.' }) tokens: TokensView;
}

export class SignedInByLinkView extends SignedInView {
  @ApiProperty({
    description:
      'True if the user and the sandbox are new, because nobody had proved the e-mail address and the request had no password of the ' +
      'registration.',
    example: false,
  })
  newWorkspace: boolean;
}

/** The new tokens, in the same form as at login. The client should discard the old access token and the old refresh token. */
export class RefreshedTokensView {
  @ApiProperty({ description: 'The new tokens.' }) tokens: TokensView;
}

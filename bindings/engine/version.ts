/** The version in package.json; a test checks that they agree. */
export const version = '0.1.0';

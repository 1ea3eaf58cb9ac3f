-- What a team would write first: texts in the clear, one row per thing, an index wherever a walk goes.
CREATE TABLE source (id text PRIMARY KEY, title text NOT NULL);
CREATE TABLE revision (id text PRIMARY KEY, source text NOT NULL, label text NOT NULL, published timestamptz);
CREATE TABLE evidence (id text PRIMARY KEY, revision text NOT NULL, quote text NOT NULL);
CREATE TABLE claim (id text PRIMARY KEY, statement text NOT NULL, made timestamptz);
CREATE TABLE support (claim text NOT NULL, member text NOT NULL, PRIMARY KEY (claim, member));
CREATE TABLE exposure (claim text NOT NULL, member text NOT NULL, PRIMARY KEY (claim, member));
CREATE TABLE supersession (old text PRIMARY KEY, new text NOT NULL);
CREATE TABLE retraction (claim text PRIMARY KEY);

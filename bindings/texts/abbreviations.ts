/** Where a full stop does not end a sentence: a list of exceptions for each language. */

/** The beginning of a list item or a quoted line. */
const itemMark = /^(?:[-*+•‣◦▪·–—>]+|[\p{N}]{1,3}[.)]|\p{L}[.)]|\(\p{L}\)|\(\p{N}{1,3}\)|#{1,6})\s+/u;

/** No mark is longer, with the white space after it and the next word. */
const longestMark = 200;

/**
 * Words are written without their last full stop and apart by spaces; a capital may stand in place of a small first
 * letter.
 */
interface Exceptions {
  /** Titles, and what explains the words that follow: no sentence ends here. */
  readonly never?: string;
  /** Before a number no sentence ends here: No. 5, p. 12. */
  readonly number?: string;
  /** A sentence ends here only before one of the `starters`: Inc., the U.S. */
  readonly perhaps?: string;
  /** Words that are capital for no other reason than that they begin a sentence. */
  readonly starters?: string;
}

const exceptions: Readonly<Record<string, Exceptions>> = {
  en: {
    never:
      'Dr Mr Mrs Ms Mx Prof Messrs Rev Hon Gen Col Capt Cmdr Lt Sgt Maj Cpl Gov Pres Sen Rep Supt St Mt Ft vs e.g i.e cf viz approx Eq Eqs Fig Figs',
    number: 'No no Nos nos Vol vol p pp Ch ch Sec sec Art art para Nr ft lb oz',
    perhaps:
      'Inc Ltd Co Corp Bros LLC Jr Sr Ph.D al Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Ave Blvd Rd Dept Univ Assn',
    starters:
      'The A An He She It I We You They This That These Those There Here His Her Its My Our Your Their But And Or So If In On At As For From With When While After Before Then Now What Who Why How Where Not No Yes However Although Because Since Many Some Most All Once Let By To Of Did Do Does Is Are Was Were Can Could Will Would Should Have Has Had Please',
  },
  de: {
    never:
      'Dr Prof Hr Hrn Fr Frl Dipl Ing Hl St Mag bzw z.B d.h u.a u.g o.ä o.g s.o s.u i.d.R i.A Fa ca vgl evtl ggf inkl exkl zzgl sog geb gest Str Mio Mrd Tsd Abs Art Nr Bd Kap Abb Tab Hrsg Ausg Aufl',
    number: 'S Jh Z Ziff',
    perhaps: 'usw etc GmbH Co Jan Feb Apr Jun Jul Aug Sept Okt Nov Dez',
    starters:
      'Der Die Das Den Dem Ein Eine Er Sie Es Ich Wir Ihr Du Man Und Aber Oder Doch Denn So Wenn In Im Am An Auf Bei Mit Nach Von Zu Zum Zur Für Als Da Dann Hier Dort Dies Diese Dieser Dieses Auch Nun Jetzt Was Wer Wie Wo Warum Nicht Nein Ja Sein Ihre Mein Nur Noch',
  },
  fr: {
    never: 'M MM Mme Mmes Mlle Mlles Dr Pr Mgr St Ste p.ex cf env av apr éd vol chap fig art',
    number: 'p pp n no al',
    perhaps: 'etc Cie janv févr avr juil sept oct nov déc',
    starters:
      "Le La Les L' Un Une Des Il Elle On Nous Vous Ils Elles Je J' Tu Ce C' Cela Ça Cette Ces Mais Et Ou Donc Or Si En Dans À Au Aux Pour Par Avec Sur Quand Que Qui Comme Puis Alors Son Sa Ses Mon Notre Oui Non",
  },
  es: {
    never:
      'Sr Sra Srta Sres Dr Dra D Dña Prof Profa Ud Uds Vd Vds Lic Ing Gral Sto Sta Mt EE S.M p.ej cf aprox av avda',
    number: 'pág págs p núm n art vol cap fig',
    perhaps: 'etc EE.UU UU Cía S.A ene feb abr ago sept oct nov dic',
    starters:
      'El La Los Las Un Una Él Ella Ellos Ellas Yo Tú Nosotros Se Lo Le Es Esta Este Esto Pero Y O Si En De Del Al A Con Por Para Cuando Que No Sí Su Sus Mi Como También Después Luego',
  },
  it: {
    never:
      'sig sig.ra sigg dott dott.ssa prof prof.ssa avv ing arch geom mons S Ill.mo egr gent.mo es cfr ca',
    number: 'p pag pagg n art vol cap fig sec',
    perhaps: 'ecc S.p.A S.r.l gen feb mar apr giu lug ago set ott nov dic',
    starters:
      "Il Lo La I Gli Le L' Un Una Lui Lei Noi Voi Loro Io Si È Ma E O Se In Nel Di Del A Al Con Per Da Quando Che Chi Come Poi Non Sì No Questo Questa Suo Sua",
  },
  pt: {
    never: 'Sr Sra Srs Sras Srta Dr Dra Prof Profa Eng D Exmo Exma V.Exa p.ex cf av',
    number: 'pág págs p n nº art vol cap fig',
    perhaps: 'etc Ltda Cia S.A jan fev abr ago set out nov dez',
    starters:
      'O A Os As Um Uma Ele Ela Eles Elas Eu Nós Você É Mas E Ou Se Em No Na De Do Da Com Por Para Quando Que Quem Como Depois Não Sim Seu Sua Este Esta Isso',
  },
  nl: {
    never:
      'Dhr dhr Mevr mevr Mw mw Dr dr Drs drs Ir ir Prof prof Mr mr Ing St bijv o.a d.w.z m.a.w i.v.m ca vgl resp incl excl zgn',
    number: 'nr blz p art deel',
    perhaps: 'enz etc B.V N.V jan feb mrt apr aug sept okt nov dec',
    starters:
      "De Het Een Hij Zij Ze Ik Wij We Jij Je U Dit Dat Deze Die Maar En Of Als In Op Met Van Voor Naar Bij Toen Dan Daar Hier Er Wat Wie Waarom Niet Nee Ja Zijn Haar Ook 't",
  },
  ru: {
    never: 'ул пр пл д кв корп стр им проф акад доц инж гр т.е т.к т.н т.о напр ср св о',
    number: 'с стр рис табл гл п пп № т вып',
    perhaps: 'г гг т.д т.п др пр н.э в вв руб коп тыс млн млрд',
    starters:
      'Он Она Оно Они Я Мы Вы Ты Это Этот Эта Эти Но И А Или Если В Во На С Со К По За От Для При Когда Как Что Кто Где Почему Не Нет Да Его Её Их Там Тут Потом',
  },
  pl: {
    never: 'dr prof mgr inż hab ks św ul al tzn tzw np m.in tj',
    number: 's str nr poz art ust rys tab',
    perhaps: 'itd itp r w zł tys mln mld',
    starters:
      'On Ona Ono Oni Ja My Wy Ty To Ten Ta Ale I A Lub Jeśli W We Na Z Ze Do Po Za Od Dla Przy Gdy Jak Co Kto Nie Tak Jego Jej Ich Potem',
  },
  cs: {
    never: 'dr Dr prof Prof doc Doc Ing ing Mgr Bc MUDr JUDr PhDr RNDr sv ul tj tzn tzv např mj srov',
    number: 's str č čl obr tab odst',
    perhaps: 'atd apod aj r tis mil mld Kč',
    starters:
      'On Ona Ono Oni Já My Vy Ty To Ten Ta Ale A I Nebo Pokud V Ve Na Z Ze Do Po Za Od Pro Při Když Jak Co Kdo Ne Ano Jeho Její Jejich Pak',
  },
  sv: {
    never: 'dr Dr prof Prof hr fr t.ex d.v.s bl.a s.k f.d ca jfr inkl exkl',
    number: 's nr kap kl st',
    perhaps: 'osv etc m.m m.fl',
    starters:
      'Den Det De En Ett Han Hon Jag Vi Ni Du Men Och Eller Om I På Med Av För Till Från När Då Där Här Vad Vem Varför Inte Nej Ja Hans Hennes',
  },
  tr: {
    never: 'Dr Prof Doç Yrd Av Sn Hz Sok Cad Mah vb örn bkz',
    number: 's No no',
    perhaps: 'vs A.Ş Ltd Şti',
    starters: 'O Bu Şu Bir Ben Biz Siz Sen Onlar Ama Ve Veya Eğer Sonra Ne Kim Neden Hayır Evet',
  },
  da: {
    never: 'dr Dr prof Prof hr fr frk skt f.eks bl.a d.v.s dvs m.h.t pga ca jf inkl ekskl evt',
    number: 's nr kap kl stk',
    perhaps: 'osv m.m m.fl mio mia kr',
    starters:
      'Den Det De En Et Han Hun Jeg Vi I Du Men Og Eller Hvis På Med Af For Til Fra Når Da Her Der Hvad Hvem Hvorfor Ikke Nej Ja Hans Hendes',
  },
  nb: {
    never: 'dr Dr prof Prof hr fr frk f.eks bl.a dvs pga ca jf inkl ekskl evt',
    number: 's nr kap kl pkt',
    perhaps: 'osv m.m m.fl mill mrd kr',
    starters:
      'Den Det De En Et Han Hun Jeg Vi Du Men Og Eller Hvis På Med Av For Til Fra Når Da Her Der Hva Hvem Hvorfor Ikke Nei Ja Hans Hennes',
  },
  fi: {
    never: 'esim mm ts ks vrt tri prof ent eaa jaa eKr jKr',
    number: 's nro klo n luku',
    perhaps: 'jne ym yms milj mrd',
    starters: 'Hän He Minä Me Te Sinä Se Ne Tämä Nämä Mutta Ja Tai Jos Kun Sitten Mitä Kuka Miksi Ei Kyllä',
  },
  hu: {
    never: 'dr Dr prof Prof ifj id Szt pl ún ill vö kb stb.-t',
    number: 'o old sz köt évf',
    perhaps: 'stb Kft Rt u út',
    starters: 'A Az Egy Ő Én Mi Ti Te Ők Ez De És Vagy Ha Amikor Aztán Mit Ki Miért Nem Igen',
  },
  ro: {
    never: 'dl dna d-na dr Dr prof Prof ing av Sf str bd ex cf aprox',
    number: 'p pag nr art vol cap fig',
    perhaps: 'etc S.A S.R.L ian feb mar apr iun iul aug sept oct nov dec',
    starters: 'El Ea Ei Eu Noi Voi Tu Un O Dar Și Sau Dacă În La Cu Pe Din De Când Ce Cine Cum Nu Da Apoi',
  },
  ca: {
    never: 'Sr Sra Srs Dr Dra Prof D Na p.ex cf aprox av avda',
    number: 'p pàg pàgs n núm art vol cap fig',
    perhaps: 'etc S.A gen feb març abr jul ag set oct nov des',
    starters:
      'El La Els Les Un Una Ell Ella Ells Jo Tu Nosaltres És Aquest Aquesta Això Però I O Si En De Del Amb Per Quan Què Qui Com No Sí',
  },
  uk: {
    never: 'вул пр пл буд кв корп ім проф акад доц інж тобто т.зв напр див',
    number: 'с стор рис табл гл п пп ст № т вип',
    perhaps: 'р рр м т.д т.п ін н.е ст грн коп тис млн млрд',
    starters:
      'Він Вона Воно Вони Я Ми Ви Ти Це Цей Ця Ці Але І Й А Або Якщо У В На З Зі До По За Від Для При Коли Як Що Хто Де Чому Не Ні Так Його Її Їх Там Тут Потім',
  },
  bg: {
    never: 'г-н г-жа д-р проф акад инж ул бул пл напр т.е т.нар вж срв',
    number: 'с стр фиг табл гл чл т № бр',
    perhaps: 'г гг т.н др и.н лв ст хил млн млрд',
    starters:
      'Той Тя То Те Аз Ние Вие Ти Това Този Тази Тези Но И А Или Ако В Във На С Със До По За От При Когато Как Какво Кой Къде Защо Не Да Там Тук После',
  },
  sk: {
    never: 'dr Dr prof Prof doc Doc Ing ing Mgr Bc MUDr JUDr PhDr RNDr sv ul tj tzn tzv napr resp',
    number: 's str č čl obr tab ods',
    perhaps: 'atď apod r tis mil mld',
    starters:
      'On Ona Ono Oni Ja My Vy Ty To Ten Tá Ale A I Alebo Ak V Vo Na Z Zo Do Po Za Od Pre Pri Keď Ako Čo Kto Nie Áno Jeho Jej Ich Potom',
  },
  hr: {
    never: 'dr Dr prof Prof ing mr sv ul tzv npr tj odn usp',
    number: 'str br čl sl tab',
    perhaps: 'itd sl god st mil mlrd',
    starters:
      'On Ona Ono Oni Ja Mi Vi Ti To Taj Ta Ali I Ili Ako U Na S Sa Do Po Za Od Pri Kada Kako Što Tko Ne Da Njegov Njezin Zatim',
  },
  el: {
    never: 'κ κα κκ δρ Δρ καθ λ.χ π.χ δηλ βλ πρβλ περ',
    number: 'σ σελ αρ άρθρ τόμ κεφ εικ',
    perhaps: 'κ.λπ κλπ κ.ά κ.τ.λ π.μ μ.μ π.Χ μ.Χ εκ δισ',
    starters:
      'Ο Η Το Οι Τα Ένας Μια Ένα Αυτός Αυτή Αυτό Εγώ Εμείς Εσύ Εσείς Αλλά Και Ή Αν Σε Με Για Από Όταν Πώς Τι Ποιος Πού Γιατί Δεν Όχι Ναι Μετά',
  },
  vi: { never: 'TS ThS GS PGS BS KS CN TP Tp' },
  hi: { never: 'डॉ श्री श्रीमती प्रो पं कु' },
};

/** And so on: ends a sentence before any capital, but not in German, whose nouns have one. */
const andSoOn = new Set('etc ecc enz osv itd itp atd apod atď stb jne κ.λπ κλπ т.д т.п др ін т.н'.split(' '));

/** Words that most languages share; before a number, no sentence ends after them. */
const beforeNumbers = 'max min tel fax ext op vol no nr n° nº № art p pp fig tab ca est approx ver';

/** Other codes of a language in the list, or of one that abbreviates as it does. */
const relatives: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', sr: 'hr', bs: 'hr' };

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Languages that write ordinal numbers with a full stop. */
const withOrdinals = 'de cs sk pl da nb nn no fi et lv hu sl hr sr bs is tr';

const roman = /^(?=[IVXLC])(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3})$/;

const known = new Map<string, Abbreviations>();

/** The exceptions of one language, or of all where it is unknown or has no list. */
export class Abbreviations {
  /** One table is kept for each language. */
  static of(language = ''): Abbreviations {
    const key = /^[a-z]{2,3}$/.test(language) ? language : '';
    const own = known.get(key) ?? new Abbreviations(key);
    known.set(key, own);
    return own;
  }

  readonly #never: ReadonlySet<string>;
  readonly #number: ReadonlySet<string>;
  readonly #perhaps: ReadonlySet<string>;
  readonly #starters: ReadonlySet<string>;
  /** Words that follow an ordinal number in a date. */
  readonly #months: readonly string[];
  readonly #isGerman: boolean;
  readonly #hasOrdinals: boolean;

  private constructor(language: string) {
    const own = exceptions[relatives[language] ?? language];
    const tables = own ? [own] : Object.values(exceptions);
    const all = (name: keyof Exceptions) =>
      new Set(
        tables.flatMap((table) => (table[name]?.split(' ') ?? []).flatMap((one) => [one, capitalised(one)])),
      );
    this.#never = all('never');
    const numbers = beforeNumbers.split(' ').flatMap((word) => [word, capitalised(word)]);
    this.#number = new Set([...all('number'), ...numbers]);
    this.#perhaps = all('perhaps');
    this.#starters = all('starters');
    this.#hasOrdinals = withOrdinals.split(' ').includes(language);
    this.#months = this.#hasOrdinals ? monthsIn(language) : [];
    this.#isGerman = language === 'de';
  }

  /**
   * Whether a full stop belongs to the word before it and ends no sentence.
   *
   * @param before ends with the full stop
   * @param after without white space at its beginning
   */
  hold(before: string, after: string): boolean {
    const [, dotted] = before.match(/([\p{L}\p{M}\p{N}№°]+(?:\.[\p{L}\p{M}\p{N}]+)*)\.$/u) ?? [];
    if (dotted === undefined) return false;
    // A word before it, with its full stop but without a space, is not part of it: Tuesday.Mr.
    const word = dotted.replace(/^\p{L}?\p{Ll}{2,}\.(?=\p{Lu})/u, '');
    const next = after.match(/^[\p{L}\p{M}\p{N}'’]+\.?/u)?.[0] ?? '';
    const isList = andSoOn.has(word) || /(?:^|\s)т\. ?[дпн]\.$/u.test(before);
    if (isList && !this.#isGerman && /^\p{Lu}/u.test(next)) return false;
    if (this.#never.has(word)) return true;
    // The pronoun, not an initial.
    if (/\b(?:and|or|nor|than|as)\s+I\.$/.test(before)) return false;
    const isCounted = this.#number.has(word) || /\p{L}str$/u.test(word);
    if (isCounted && (/^\d/.test(next) || (next.length > 1 && roman.test(next)))) return true;
    if (/^\d{1,2}$/.test(word)) return this.#isOrdinal(before, next);
    if (this.#hasOrdinals && roman.test(word) && /^\W*\w+\.$/.test(before)) return true;
    if (/^[ap]\.m$/i.test(word)) return this.#isTimeOf(before, next);
    if (this.#perhaps.has(word) && /^[([]/.test(after)) return true;
    const isInitial = /^\p{L}$|^(?:\p{Lu}\.)+\p{Lu}$/u.test(word);
    return (isInitial || this.#perhaps.has(word)) && next !== '' && !this.#begins(next);
  }

  /**
   * The length of the marks of a list at the beginning of a line. An ordinal number, an initial or a title is none: `3.
   * Oktober`, `J. R. R. Tolkien`, `M. Dupont`.
   */
  markLength(line: string): number {
    let length = 0;
    for (;;) {
      const rest = line.slice(length, length + longestMark);
      const [mark = ''] = itemMark.exec(rest) ?? [];
      const next = rest.slice(mark.length).match(/^(?:[\p{L}\p{M}'’]+|\d+)/u)?.[0] ?? '';
      if (mark === '' || this.#isWord(mark.trim(), next)) return length;
      length += mark.length;
    }
  }

  #isWord(mark: string, next: string): boolean {
    const [, number, letter] = /^(?:(\d{1,3})|(\p{L}))\.$/u.exec(mark) ?? [];
    if (number !== undefined)
      return this.#hasOrdinals && (/^\p{Ll}/u.test(next) || this.#months.includes(next.toLowerCase()));
    if (letter === undefined || /\p{Ll}/u.test(letter)) return false;
    if (/^\d/.test(next)) return this.#number.has(letter);
    return next !== '' && !this.#begins(next);
  }

  /** A time belongs to what follows if the sentence has begun with it: At 5 a.m. Mr. Smith left. */
  #isTimeOf(before: string, next: string): boolean {
    if (/^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|^[A-Z]{2,3}T\b/.test(next)) return true;
    return /^\P{L}*\p{L}+\s+[\d:.]+\s*[ap]\.m\.$/iu.test(before) && this.#never.has(next.replace(/\.$/, ''));
  }

  #begins(next: string): boolean {
    const [word = ''] = next.split(/['’]/);
    return [next, word, `${word}'`].some((one) => this.#starters.has(one));
  }

  #isOrdinal(before: string, next: string): boolean {
    if (this.#months.includes(next.toLowerCase().replace(/\.$/, ''))) return true;
    // A date: 5. 3. 2020.
    const isDate = /^\d{1,2}\.$/.test(next) || (/\d\.\s?\d{1,2}\.$/.test(before) && /^\d{2,4}$/.test(next));
    if (this.#hasOrdinals && isDate) return true;
    const article = /\b(?:de[rmns]|die|das|am|im|vom|zum|zur|beim|ab|bis|seit|jede[rmns]?)\s+\d+\.$/i;
    return this.#isGerman && article.test(before);
  }
}

function monthsIn(language: string | undefined): string[] {
  const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, month) => {
    const parts = format.formatToParts(new Date(Date.UTC(2000, month, 1)));
    return parts.find(({ type }) => type === 'month')?.value.toLowerCase() ?? '';
  });
}

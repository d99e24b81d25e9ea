"""Set phrases and patterns with slots, the English and the French cut into the same pieces.

Pieces are parted by "/" and go with each other in order, or by the number that they begin with. Words in braces
are slots, which ``templates.py`` fills. The French is written without elision or contraction.
"""

PHRASES = """
thank you . | merci .
thank you / very much . | merci / beaucoup .
thank you / so much . | merci / beaucoup .
thanks / a lot . | merci / beaucoup .
i / am / happy / to / see / you . | je / suis / content / 4 de / 6 te / 5 voir .
nice / to / see / you . | 1 content / 2 de / 4 te / 3 voir .
i / love / you / very much . | je / 3 te / 2 aime / beaucoup .
i / am / thinking / of / you . | je / 3 pense / 4 à / toi .
i / am / proud / of / you . | je / suis / fier / de / toi .
he / is / afraid / of / {things} . | il / a / peur / de / {things} .
she / is / afraid / of / {things} . | elle / a / peur / de / {things} .
i / am / afraid / of / {things} . | je / ai / peur / de / {things} .
i / am / looking / for / {thing} . | je / 3 cherche / {thing} .
i / have / lost / {thing} . | je / ai / perdu / {thing} .
i / lost / {thing} . | je / ai perdu / {thing} .
what / a / beautiful / day ! | quelle / 3 belle / 4 journée !
what / a / surprise ! | quelle / 3 surprise !
a glass / of / water / , / please . | un verre / de / eau / , / si il te plaît .
i / would like / a glass / of / water . | je / voudrais / un verre / de / eau .
a cup / of / tea / , / please . | une tasse / de / thé / , / si il te plaît .
i / want / a cup / of / coffee . | je / veux / une tasse / de / café .
he / drinks / a cup / of / tea . | il / boit / une tasse / de / thé .
{name} / drinks / a glass / of / water . | {name} / boit / un verre / de / eau .
thanks . | merci .
many / thanks . | 2 merci / 1 beaucoup .
thank you / for / your / help . | merci / pour / ton / aide .
thank you / for / everything . | merci / pour / tout .
thank you / , / {name} . | merci / , / {name} .
hello . | bonjour .
hello / , / {name} . | bonjour / , / {name} .
hello / , / how / are you ? | bonjour / , / comment / vas - tu ?
hello / everyone . | bonjour / à tous .
hello / , / my / friend . | bonjour / , / mon / ami .
hello / , / my / name is / {name} . | bonjour / , / 2 je me / 1 appelle / {name} .
hello / , / world . | bonjour / , / le monde .
hi . | salut .
hi / , / {name} . | salut / , / {name} .
hey . | salut .
good / morning . | bonjour .
good / morning / , / {name} . | bonjour / 3 , / 4 {name} .
good / afternoon . | bonjour .
good / evening . | bonsoir .
good / night . | bonne / nuit .
good night / , / {name} . | bonne nuit / , / {name} .
goodbye . | au revoir .
goodbye / , / {name} . | au revoir / , / {name} .
bye . | salut .
see you / soon . | à / bientôt .
see you / later . | à / plus tard .
see you / tomorrow . | à / demain .
see you / on {day} . | à / {day} .
see you / tonight . | à / ce soir .
see you / next week . | à / la semaine prochaine .
yes . | oui .
no . | non .
yes / , / please . | oui / , / si il te plaît .
yes / , / thank you . | oui / , / merci .
no / , / thank you . | non / , / merci .
no / , / thanks . | non / , / merci .
please . | si il te plaît .
excuse / me . | excuse - / moi .
i / am / sorry . | je / suis / désolé .
sorry . | désolé .
i / am / really / sorry . | je / suis / vraiment / désolé .
sorry / , / i / am / late . | désolé / , / je / suis / en retard .
i / am / late . | je / suis / en retard .
you / are / late . | tu / es / en retard .
he / is / late . | il / est / en retard .
she / is / late . | elle / est / en retard .
we / are / late . | nous / sommes / en retard .
they / are / late . | ils / sont / en retard .
am / i / late ? | est-ce que / je suis / en retard ?
you / are / welcome . | de rien .
welcome . | bienvenue .
welcome / to / {city} . | bienvenue / à / {city} .
of course . | bien sûr .
of course / not . | bien sûr que / non .
no problem . | pas de problème .
good / luck . | bonne / chance .
happy / birthday . | joyeux / anniversaire .
happy / birthday / , / {name} . | joyeux / anniversaire / , / {name} .
merry / christmas . | joyeux / noël .
happy / new / year . | 1 bonne / 3 année .
congratulations . | félicitations .
enjoy / your meal . | bon / appétit .
cheers . | santé .
have / a / good / day . | 1 passe / 2 une / 3 bonne / 4 journée .
have / a / nice / day . | 1 passe / 2 une / 3 bonne / 4 journée .
have / a / good / evening . | 1 passe / 2 une / 3 bonne / 4 soirée .
have / a / good / weekend . | 1 passe / 2 un / 3 bon / 4 week-end .
have / a / good / trip . | 3 bon / 4 voyage .
sleep / well . | dors / bien .
get well / soon . | remets - toi / vite .
take care . | prends soin de toi .
nice to / meet / you . | enchanté .
i / love / you . | je / 3 te / 2 aime .
i / love / you / too . | je / 3 te / 2 aime / 4 aussi .
i / miss / you . | 3 tu / 1 me / 2 manques .
i / am / fine . | je / vais / bien .
i / am / fine / , / thank you . | je / vais / bien / , / merci .
i / am / well . | je / vais / bien .
i / am / very / well . | je / vais / très / bien .
i / am / not / well . | je ne / vais / pas / bien .
how / are / you ? | comment / vas - / tu ?
how / is / {person} ? | comment / va / {person} ?
{person} / is / fine . | {person} / va / bien .
{person} / is / not / well . | {person} ne / 2 va / 3 pas / bien .
how / are / you / today ? | comment / vas - / tu / aujourd'hui ?
how / are / you / , / {name} ? | comment / vas - / tu / , / {name} ?
and / you ? | et / toi ?
what / is / your / name ? | comment / te / 2 appelles - / 3 tu ?
what / is / his / name ? | comment / est-ce que / 3 il se / 4 appelle ?
what / is / her / name ? | comment / est-ce que / 3 elle se / 4 appelle ?
my / name / is / {name} . | je me / appelle / 4 {name} .
his / name / is / {name} . | il se / appelle / 4 {name} .
her / name / is / {name} . | elle se / appelle / 4 {name} .
i / am / {name} . | je / suis / {name} .
this / is / {name} . | 2 ce / 2 est / {name} .
how / old / are / you ? | quel / âge / as - / tu ?
how / old / is / he ? | quel / âge / a - t - / il ?
how / old / is / she ? | quel / âge / a - t - / elle ?
how / old / is / {person} ? | quel / âge / a / {person} ?
how / old / are / they ? | quel / âge / ont - / ils ?
i / am / {years} / years / old . | je / ai / {years} / ans .
i / am / {years} . | je / ai / {years} ans .
he / is / {years} / years / old . | il / a / {years} / ans .
she / is / {years} / years / old . | elle / a / {years} / ans .
you / are / {years} / years / old . | tu / as / {years} / ans .
we / are / {years} / years / old . | nous / avons / {years} / ans .
they / are / {years} / years / old . | ils / ont / {years} / ans .
{person} / is / {years} / years / old . | {person} / a / {years} / ans .
where / are / you / from ? | 4 de / où / 3 viens - / 3 tu ?
where / is / he / from ? | 4 de / où / 3 vient - / 3 il ?
where / is / she / from ? | 4 de / où / 3 vient - / 3 elle ?
i / am / from / {city} . | je / viens / de / {city} .
he / is / from / {city} . | il / vient / de / {city} .
she / is / from / {city} . | elle / vient / de / {city} .
we / are / from / {city} . | nous / venons / de / {city} .
they / are / from / {city} . | ils / viennent / de / {city} .
i / come / from / {city} . | je / viens / de / {city} .
{name} / comes / from / {city} . | {name} / vient / de / {city} .
i / was / born / in / {city} . | je / suis / né / à / {city} .
he / was / born / in / {city} . | il / est / né / à / {city} .
she / was / born / in / {city} . | elle / est / née / à / {city} .
i / was / born / in / {year} . | je / suis / né / en / {year} .
he / was / born / in / {year} . | il / est / né / en / {year} .
she / was / born / in / {year} . | elle / est / née / en / {year} .
{name} / died / in / {year} . | {name} / est mort / en / {year} .
i / was / born / in / {month} . | je / suis / né / en / {month} .
what / is / this ? | qu'est-ce que / ce / est ?
what / is / that ? | qu'est-ce que / ce / est ?
what / is / it ? | qu'est-ce que / ce / est ?
who / is / it ? | qui / est - / ce ?
who / is / this ? | qui / est - / ce ?
who / is / that ? | qui / est - / ce ?
who / are / they ? | qui / sont - / ils ?
who / are / you ? | qui / es - / tu ?
who / is / he ? | qui / est - / il ?
who / is / she ? | qui / est - / elle ?
who / is / there ? | qui / est / là ?
who / is / {person} ? | qui / est / {person} ?
what / time / is / it ? | 1 quelle / heure / est - / il ?
what / day / is / it ? | 1 quel / jour / 3 sommes - / 4 nous ?
what / day / is / it / today ? | 1 quel / jour / 3 sommes - / 4 nous / 5 aujourd'hui ?
it / is / {hour} . | il / est / {hour} .
it / is / {clock} . | il / est / {clock} .
today / is / {day} . | aujourd'hui / , ce est / {day} .
it / is / {day} . | ce / est / {day} .
tomorrow / is / {day} . | demain / , ce est / {day} .
yesterday / was / {day} . | hier / , ce était / {day} .
today / is / {month} / {date} . | aujourd'hui / 2 , ce est le / 4 {date} / 3 {month} .
my / birthday / is / on / {month} / {date} . | mon / anniversaire / est / 4 le / 6 {date} / 5 {month} .
my / birthday / is / in / {month} . | mon / anniversaire / est / en / {month} .
the / party / is / on / {day} . | la / fête / est / 5 {day} .
the / meeting / is / at / {hour} . | la / réunion / est / à / {hour} .
the / train / leaves / at / {hour} . | le / train / part / à / {hour} .
the / bus / arrives / at / {hour} . | le / bus / arrive / à / {hour} .
the / train / leaves / at / {clock} . | le / train / part / à / {clock} .
the / lesson / starts / at / {hour} . | la / leçon / commence / à / {hour} .
i / get up / at / {hour} . | je me / lève / à / {hour} .
i / get up / at / {clock} . | je me / lève / à / {clock} .
i / go to bed / at / {hour} . | je me / couche / à / {hour} .
he / gets up / at / {hour} . | il se / lève / à / {hour} .
we / eat / at / {hour} . | nous / mangeons / à / {hour} .
i / work / on / {day} . | je / travaille / 3 le {day} .
see you / at / {hour} . | à / {hour} .
i / have / an / appointment / at / {hour} . | je / ai / un / rendez-vous / à / {hour} .
what / time / do / you / eat ? | à quelle / heure / est-ce que / tu / manges ?
what / time / does / the train / leave ? | à quelle / heure / est-ce que / le train / part ?
at / what / time / do / you / eat ? | à / quelle / heure / est-ce que / tu / manges ?
in / {year} / , / i / was / young . | en / {year} / , / je / étais / jeune .
how much / is / it ? | combien / 3 ça / 2 coûte ?
how much / does / it / cost ? | combien / 3 ça / 4 coûte ?
how much / is / {thing} ? | combien / coûte / {thing} ?
how much / does / {thing} / cost ? | combien / 4 coûte / 3 {thing} ?
it / costs / {number} / euros . | ça / coûte / {number} / euros .
it / costs / {number} / dollars . | ça / coûte / {number} / dollars .
{thing} / costs / {number} / euros . | {thing} / coûte / {number} / euros .
i / have / {number} / euros . | je / ai / {number} / euros .
i / need / {number} / euros . | je / ai besoin de / {number} / euros .
i / do not / know . | je ne / 3 sais / 2 pas .
i / do not / know / why . | je ne / 3 sais / 2 pas / pourquoi .
he / does not / know . | il ne / 3 sait / 2 pas .
i / know . | je / sais .
i / do not / understand . | je ne / 3 comprends / 2 pas .
i / understand . | je / comprends .
i / think / so . | je / 2 pense / 1 que / 3 oui .
i / hope / so . | je / espère .
i / speak / {language} . | je / parle / {language} .
i / speak / a little / {language} . | je / parle / un peu / {language} .
i / do not / speak / {language} . | je ne / 3 parle / 2 pas / {language} .
do / you / speak / {language} ? | est-ce que / tu / parles / {language} ?
how / do / you / say / that / in / {language} ? | comment / est-ce que / 3 tu / 4 dis / 5 ça / en / {language} ?
i / am / learning / {language} . | je / 3 apprends le / {language} .
i / would like / {food} . | je / voudrais / {food} .
i / would like / {food} / , / please . | je / voudrais / {food} / , / si il te plaît .
i / want / {food} . | je / veux / {food} .
we / would like / {food} . | nous / voudrions / {food} .
he / would like / {food} . | il / voudrait / {food} .
she / would like / {food} . | elle / voudrait / {food} .
would / you / like / {food} ? | est-ce que / tu / voudrais / {food} ?
do / you / want / {food} ? | est-ce que / tu / veux / {food} ?
can / i / have / {food} ? | est-ce que / 1 je / 1 peux / 3 avoir / {food} ?
can / i / have / {food} / , / please ? | est-ce que / 2 je / 1 peux / 3 avoir / {food} / , / si il te plaît ?
can / you / help / me ? | est-ce que / 2 tu / 1 peux / 4 me / 3 aider ?
can / you / help / me / , / please ? | est-ce que / 2 tu / 1 peux / 4 me / 3 aider / 5 , / 6 si il te plaît ?
what / would / you / like ? | qu'est-ce que / 3 tu / 2 voudrais ?
what / do / you / want ? | qu'est-ce que / 3 tu / 4 veux ?
what / are / you / doing ? | qu'est-ce que / 3 tu / 4 fais ?
what / is / he / doing ? | qu'est-ce que / 3 il / 4 fait ?
what / is / she / doing ? | qu'est-ce que / 3 elle / 4 fait ?
what / are / they / doing ? | qu'est-ce que / 3 ils / 4 font ?
what / is / {person} / doing ? | qu'est-ce que / 3 {person} / 4 fait ?
what / did / you / do / yesterday ? | qu'est-ce que / 3 tu / 2 as / 4 fait / 5 hier ?
what / did / you / do ? | qu'est-ce que / 3 tu / 2 as / 4 fait ?
what / did / you / say ? | qu'est-ce que / 3 tu / 2 as / 4 dit ?
what / do / you / do ? | qu'est-ce que / 3 tu / 4 fais ?
what / do / you / think ? | qu'est-ce que / 3 tu / 4 penses ?
what / does / {person} / want ? | qu'est-ce que / 3 {person} / 4 veut ?
what / does / that / mean ? | qu'est-ce que / 3 ça / 4 veut dire ?
what / happened ? | qu'est-ce qui / se est passé ?
what / is / the problem ? | quel / est / le problème ?
what / is / wrong ? | qu'est-ce qui / ne va pas ?
what / colour / is / {thing} ? | 1 de quelle / couleur / est / {thing} ?
what / color / is / {thing} ? | 1 de quelle / couleur / est / {thing} ?
what / is / your / favorite / colour ? | quelle / est / ta / 5 couleur / 4 préférée ?
what / is / your / favorite / color ? | quelle / est / ta / 5 couleur / 4 préférée ?
what / is / your / phone / number ? | quel / est / ton / 5 numéro / 4 de téléphone ?
what / is / your / favourite / colour ? | quelle / est / ta / 5 couleur / 4 préférée ?
my / favourite / colour / is / {colour} . | ma / 3 couleur / 2 préférée / est / le {colour} .
my / favorite / color / is / {colour} . | ma / 3 couleur / 2 préférée / est / le {colour} .
why / not ? | pourquoi / pas ?
why ? | pourquoi ?
when ? | quand ?
where ? | où ?
who ? | qui ?
what ? | quoi ?
how ? | comment ?
really ? | vraiment ?
how much ? | combien ?
how / is / the / weather ? | quel / 4 temps / 2 fait - il ?
what / is / the / weather / like ? | quel / 4 temps / 2 fait - il ?
is / it / raining ? | est-ce que / il / pleut ?
is / it / cold ? | est-ce que / il / fait froid ?
is / it / hot ? | est-ce que / il / fait chaud ?
help / me ! | aide - / moi !
come / here ! | viens / ici !
watch out ! | attention !
hurry up ! | dépêche - toi !
let / 's / go ! | 2 allons - / 3 y !
come on ! | allez !
sit / down . | assieds - / toi .
tell / me / the truth . | dis - / moi / la vérité .
tell / me / your / name . | dis - / moi / ton / nom .
wait / a minute . | attends / une minute .
wait / for / me . | attends - / 3 moi .
come / with / me . | viens / avec / moi .
come / with / us . | viens / avec / nous .
i / am / coming . | je / 3 arrive .
i / am / ready . | je / suis / prêt .
let / 's / go / to / {city} . | 2 allons / 4 à / {city} .
go / away . | va - / te en .
leave / me / alone . | laisse - / moi / tranquille .
it / does / not / matter . | 1 ce ne / 2 est / 3 pas / 4 grave .
that / is / right . | ce / 2 est / 3 vrai .
that / is / true . | ce / est / vrai .
that / is / not / true . | ce ne / 2 est / 3 pas / vrai .
that / is / wrong . | ce / est / faux .
that / is / great . | ce / est / génial .
great ! | génial !
it / is / great . | ce / est / génial .
it / is / easy . | ce / est / facile .
it / is / difficult . | ce / est / difficile .
it / is / important . | ce / est / important .
it / is / possible . | ce / est / possible .
it / is / impossible . | ce / est / impossible .
it / is / delicious . | ce / est / délicieux .
it / is / very / good . | ce / est / très / bon .
it / is / good . | ce / est / bon .
it / is / not / easy . | ce ne / 2 est / 3 pas / facile .
it / is / my / turn . | ce / est / 3 mon / tour .
it / is / me . | ce / est / moi .
it / is / not / my / fault . | ce ne / 2 est / 3 pas / 4 ma / faute .
me / too . | moi / aussi .
not / me . | pas / moi .
maybe . | peut-être .
all right . | de accord .
okay . | de accord .
ok . | de accord .
very / good . | très / bien .
well / done . | bien / joué .
again . | encore .
never . | jamais .
always . | toujours .
now . | maintenant .
today . | aujourd'hui .
tomorrow . | demain .
yesterday . | hier .
i / am / at / home . | je / suis / à / la maison .
i / want / to / go / home . | je / veux / 4 rentrer .
i / have / to / go . | je / dois / 4 partir .
i / must / go . | je / dois / partir .
i / am / going / home . | je / 3 rentre .
i / am / at / work . | je / suis / au / travail .
i / am / on / holiday . | je / suis / en / vacances .
i / am / on / vacation . | je / suis / en / vacances .
i / am / in / love . | je / suis / 4 amoureux .
i / have / a headache . | je / ai / mal à la tête .
i / have / a cold . | je / suis / enrhumé .
he / has / a headache . | il / a / mal à la tête .
she / has / a headache . | elle / a / mal à la tête .
i / have / an idea . | je / ai / une idée .
i / have / a question . | je / ai / une question .
i / have / a problem . | je / ai / un problème .
i / have / no / time . | je ne / 2 ai / 3 pas / 4 le temps .
i / have / no / money . | je ne / 2 ai / 3 pas / 4 de argent .
i / do not / have / time . | je ne / 3 ai / 2 pas / 4 le temps .
i / agree . | je / suis de accord .
i / do not / agree . | je ne / 3 suis / 2 pas / 3 de accord .
i / changed / my / mind . | je / 2 ai changé / 3 de avis .
the / world / is / small . | le / monde / est / petit .
everybody / is / here . | tout le monde / est / ici .
nobody / is / here . | personne / ne est / ici .
where / are / the toilets ? | où / sont / les toilettes ?
where / is / the bathroom ? | où / est / la salle de bains ?
where / is / the post / office ? | où / est / la poste ?
i / live / in / {city} . | je / vis / à / {city} .
where / do / you / live ? | où / est-ce que / tu / vis ?
where / do / you / work ? | où / est-ce que / tu / travailles ?
do / you / understand ? | est-ce que / tu / comprends ?
do / you / have / time ? | est-ce que / tu / as / le temps ?
are / you / ok ? | est-ce que / tu / 1 vas / 3 bien ?
are / you / okay ? | est-ce que / tu / 1 vas / 3 bien ?
are / you / sure ? | est-ce que / tu / 1 es / 3 sûr ?
do / you / love / me ? | est-ce que / tu / 4 me / 3 aimes ?
i / have / been / to / {city} . | je / 2 suis / 3 allé / à / {city} .
i / am / going / to / {city} . | je / 3 vais / à / {city} .
i / like / it . | 3 ça / 1 me / 2 plaît .
i / do not / like / it . | 4 ça ne / 1 me / 3 plaît / 2 pas .
i / do not / want / to . | je ne / 3 veux / 2 pas .
i / can / not . | je ne / 2 peux / 3 pas .
it / is / time / to / eat . | il / est / temps / 4 de / manger .
it / is / time / to / go . | il / est / temps / 4 de / partir .
it / is / time / to / sleep . | il / est / temps / 4 de / dormir .
this / is / for / you . | 2 ce / 2 est / pour / toi .
this / is / for / me . | 2 ce / 2 est / pour / moi .
that / is / all . | ce / est / tout .
i / have / {number} / brothers . | je / ai / {number} / frères .
there / are / {number} / days / in / a week . | 1 il y / 2 a / {number} / jours / dans / une semaine .
{number} / people / came . | {number} / personnes / sont venues .
{number} / and / {number} / make / {number} . | {number} / et / {number} / font / {number} .
{name} / and / {name} / are / friends . | {name} / et / {name} / sont / amis .
{name} / is / my / friend . | {name} / est / mon / ami .
do / you / know / {name} ? | est-ce que / tu / connais / {name} ?
i / met / {name} / in / {city} . | je / 2 ai rencontré / {name} / à / {city} .
{idea} / is / all / you / need . | {idea} / est / tout / 4 ce dont tu / 5 as besoin .
{idea} / is / all / i / need . | {idea} / est / tout / 4 ce dont je / 5 ai besoin .
{idea} / is / all / we / need . | {idea} / est / tout / 4 ce dont nous / 5 avons besoin .
{idea} / is / all / he / needs . | {idea} / est / tout / 4 ce dont il / 5 a besoin .
{idea} / is / all / she / wants . | {idea} / est / tout / 4 ce que elle / 5 veut .
{idea} / is / all / i / want . | {idea} / est / tout / 4 ce que je / 5 veux .
{idea} / is / all / they / want . | {idea} / est / tout / 4 ce que ils / 5 veulent .
all / you / need / is / {idea} . | tout / 2 ce dont tu / 3 as besoin / 4 , ce est / {idea} .
all / i / want / is / {idea} . | tout / 2 ce que je / 3 veux / 4 , ce est / {idea} .
{idea} / is / important . | {idea} / est / important .
i / am / {from_country} . | je / viens / {from_country} .
he / is / {from_country} . | il / vient / {from_country} .
she / is / {from_country} . | elle / vient / {from_country} .
they / come / {from_country} . | ils / viennent / {from_country} .
we / come / {from_country} . | nous / venons / {from_country} .
{person} / comes / {from_country} . | {person} / vient / {from_country} .
{thing} / comes / {from_country} . | {thing} / vient / {from_country} .
i / love / {country} . | je / aime / {country} .
i / like / {country} . | je / aime / {country} .
i / want / to / visit / {country} . | je / veux / 4 visiter / {country} .
we / visited / {country} . | nous / avons visité / {country} .
{person} / knows / {country} . | {person} / connaît / {country} .
{country} / is / a / big / country . | {country} / est / un / grand / pays .
{country} / is / a / small / country . | {country} / est / un / petit / pays .
i / was / born / {in_country} . | je / suis / né / {in_country} .
he / has / never / been / {to_country} . | il ne / 2 est / 3 jamais / 4 allé / {to_country} .
i / have / never / been / {to_country} . | je ne / 2 suis / 3 jamais / 4 allé / {to_country} .
we / have / been / {to_country} . | nous / sommes / allés / {to_country} .
have / you / been / {to_country} ? | 1 est-ce que / 2 tu / 1 es / 3 allé / {to_country} ?
have / you / ever / been / {to_country} ? | 1 est-ce que / 2 tu / 1 es / 3 déjà / 4 allé / {to_country} ?
i / spent / a week / {in_country} . | je / 2 ai passé / une semaine / {in_country} .
it / costs / {price} / euros . | ça / coûte / {price} / euros .
it / costs / {price} / dollars . | ça / coûte / {price} / dollars .
{thing} / costs / {price} / euros . | {thing} / coûte / {price} / euros .
i / have / {price} / euros . | je / ai / {price} / euros .
i / paid / {price} / euros . | je / 2 ai payé / {price} / euros .
he / paid / {price} / dollars . | il / a payé / {price} / dollars .
i / weigh / {decimal} / kilos . | je / pèse / {decimal} / kilos .
{person} / weighs / {decimal} / kilos . | {person} / pèse / {decimal} / kilos .
the / answer / is / {decimal} . | la / réponse / est / {decimal} .
it / is / {decimal} / degrees . | il / 2 fait / {decimal} / degrés .
the / shop / opens / at / {hour} . | le / magasin / ouvre / à / {hour} .
the / shop / closes / at / {clock} . | le / magasin / ferme / à / {clock} .
the / film / starts / at / {hour} . | le / film / commence / à / {hour} .
the / bank / is / open / from / {hour} / to / {hour} . | la / banque / est / ouverte / de / {hour} / à / {hour} .
i / work / from / {hour} / to / {hour} . | je / travaille / de / {hour} / à / {hour} .
i / get up / at / {hour} / in the morning . | je me / lève / à / {hour} / de le matin .
he / came / home / at / {hour} / in the evening . | il / 2 est / 2 rentré / à / {hour} / de le soir .
the / number / is / {number} . | le / numéro / est / le {number} .
page / {number} . | page / {number} .
room / {number} . | chambre / {number} .
chapter / {number} . | chapitre / {number} .
""".strip().splitlines()
